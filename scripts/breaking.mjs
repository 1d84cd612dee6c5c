// Whether the protos only grew since the release in proto/released.binpb. buf compares what travels on the wire but is blind to
// options, so a tightened rule is found here by comparing the schemas made from both.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { schemasOf } from "../proto/generate/schemas.mjs";

const proto = join(import.meta.dirname, "..", "proto");
const buf = join(import.meta.dirname, "..", "node_modules", ".bin", "buf");

const wire = spawnSync(buf, ["breaking", "--against", "released.binpb"], { cwd: proto, stdio: "inherit" });
const findings = differences(schemasIn("released.binpb"), schemasIn("gen/descriptor.binpb"));
for (const finding of findings) console.error(finding);
process.exitCode = wire.status === 0 && findings.length === 0 ? 0 : 1;

function schemasIn(file) {
  return schemasOf(createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(join(proto, file)))));
}

/** What requests that were good, or readers of answers, would stumble over. */
function differences(released, current) {
  const requests = compareAll(released.requests, current.requests, tightened);
  const responses = compareAll(released.responses, current.responses, () => []);
  return [...requests, ...responses];
}

function compareAll(released, current, compare) {
  return Object.entries(released).flatMap(([name, before]) => {
    const after = current[name];
    if (after === undefined) return [`${name} is gone`];
    const gone = Object.keys(before.properties).filter((property) => after.properties[property] === undefined);
    return [...gone.map((property) => `${name}.${property} is gone`), ...compare(name, before, after)];
  });
}

function tightened(name, before, after) {
  const required = after.required.filter((property) => !before.required.includes(property));
  const rules = ["x-only-with", "x-exactly-one", "discriminator"].filter(
    (rule) => after[rule] !== undefined && JSON.stringify(after[rule]) !== JSON.stringify(before[rule]),
  );
  const fields = Object.keys(before.properties).flatMap((property) => {
    const shape = after.properties[property];
    return shape === undefined ? [] : tightenedShape(`${name}.${property}`, before.properties[property], shape);
  });
  return [
    ...required.map((property) => `${name}.${property} is now required`),
    ...rules.map((rule) => `${name}: ${rule} changed`),
    ...fields,
  ];
}

function tightenedShape(name, before, after) {
  const parts = ["items", "propertyNames", "additionalProperties"].flatMap((part) =>
    before[part] && after[part] ? tightenedShape(`${name}.${part}`, before[part], after[part]) : [],
  );
  const raised = ["minimum", "minLength", "minItems", "minProperties"].filter(
    (rule) => (after[rule] ?? Number.NEGATIVE_INFINITY) > (before[rule] ?? Number.NEGATIVE_INFINITY),
  );
  const lowered = ["maximum", "maxLength", "maxItems", "maxProperties"].filter(
    (rule) => (after[rule] ?? Number.POSITIVE_INFINITY) < (before[rule] ?? Number.POSITIVE_INFINITY),
  );
  const changed = ["pattern", "format", "$ref"].filter(
    (rule) => after[rule] !== undefined && after[rule] !== before[rule],
  );
  const lost = ["type", "enum", "anyOf"].filter((rule) => !covers(before[rule], after[rule]));
  return [
    ...parts,
    ...[...raised, ...lowered, ...changed, ...lost].map((rule) => `${name}: ${rule} takes less than before`),
  ];
}

function covers(before, after) {
  if (before === undefined || after === undefined) return before === after || after === undefined;
  const known = new Set([after].flat().map((value) => JSON.stringify(value)));
  return [before].flat().every((value) => known.has(JSON.stringify(value)));
}
