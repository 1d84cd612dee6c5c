/** @type {import("jest").Config} */
export default {
  testMatch: ["**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "/dist/"],
  modulePathIgnorePatterns: ["/dist/"],
  extensionsToTreatAsEsm: [".ts"],
  // Packages of this repository resolve to their sources; `import` among the conditions would break packages that jest loads as CommonJS.
  testEnvironmentOptions: { customExportConditions: ["source", "node", "node-addons"] },
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  globalSetup: "./tests/setup/start-postgres.mjs",
  globalTeardown: "./tests/setup/stop-postgres.mjs",
  reporters: ["default", "./tests/setup/skipped.mjs"],
  testTimeout: 30_000,
};
