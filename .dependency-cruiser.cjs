// The rooms of design: who may import whom. `npm run check` runs it.
const services = "^services/([^/]+)/";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "service-imports-no-other-service",
      severity: "error",
      from: { path: services },
      to: { path: "^services/", pathNot: "^services/$1/" },
    },
    {
      name: "store-imports-no-proto",
      comment: "A store knows rows; what travels is the noun's business.",
      severity: "error",
      from: { path: "^services/[^/]+/src/store/", pathNot: "\\.test\\.ts$" },
      to: { path: "^proto/" },
    },
    {
      name: "store-imports-no-noun",
      comment: "Imports point down: main, service, noun, store.",
      severity: "error",
      from: { path: "^services/([^/]+)/src/store/", pathNot: "\\.test\\.ts$" },
      to: { path: "^services/$1/src/(?!store/)" },
    },
    {
      name: "kit-knows-no-service-and-no-domain",
      severity: "error",
      from: { path: "^kit/", pathNot: "\\.test\\.ts$" },
      to: { path: "^(services|deploy|tests)/|^proto/gen/ts/assistant/(?!common/)" },
    },
    {
      name: "proto-imports-nothing",
      severity: "error",
      from: { path: "^proto/" },
      to: { path: "^(kit|services|deploy|tests)/" },
    },
    {
      name: "gateway-touches-no-database",
      severity: "error",
      from: { path: "^services/gateway/src/", pathNot: "\\.test\\.ts$" },
      to: { path: "^kit/src/(database|events)/|node_modules/(knex|pg)/" },
    },
    {
      name: "nobody-imports-tests",
      severity: "error",
      from: { pathNot: "^tests/|\\.test\\.ts$|/testing" },
      to: { path: "^tests/|\\.test\\.ts$|/testing" },
    },
    {
      name: "nobody-imports-the-launcher",
      severity: "error",
      from: { pathNot: "^(deploy|tests|scripts)/|\\.test\\.ts$" },
      to: { path: "^deploy/" },
    },
    {
      name: "no-dev-dependency-in-the-product",
      severity: "error",
      from: { path: "^(kit|services)/", pathNot: "\\.test\\.ts$|/testing" },
      to: { dependencyTypes: ["npm-dev"] },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules|dist" },
    exclude: { path: "/dist/" },
    tsPreCompilationDeps: true,
    moduleSystems: ["es6"],
    enhancedResolveOptions: {
      conditionNames: ["source", "node", "import", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".mjs", ".js", ".cjs", ".json"],
    },
  },
};
