const common = {
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
  globalSetup: "<rootDir>/tests/setup/start-postgres.mjs",
  globalTeardown: "<rootDir>/tests/setup/stop-postgres.mjs",
};

/** @type {import("jest").Config} */
export default {
  projects: [
    // Parts, side by side on all cores.
    { ...common, testMatch: ["<rootDir>/{kit,services}/**/*.test.ts", "<rootDir>/tests/{*,processes/*}.test.ts"] },
    // The whole platform: each of these starts a dozen processes.
    {
      ...common,
      testMatch: ["<rootDir>/tests/{faults,golden,journeys,launcher,rights}/*.test.ts"],
      runner: "<rootDir>/tests/setup/one-at-a-time.mjs",
    },
  ],
  reporters: ["default", "<rootDir>/tests/setup/skipped.mjs"],
  maxWorkers: "100%",
  // Modules of finished test files are never given back; without a limit the last files run at a third of the speed.
  workerIdleMemoryLimit: "600MB",
  testTimeout: 30_000,
};
