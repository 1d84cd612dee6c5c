import { describe, expect, test } from "@jest/globals";
import { type DomainEvent, readEvent, writeEvent } from "./event.js";

const event: DomainEvent = {
  id: "evt_1",
  type: "contexts.context_category.created",
  subject: "cat_1",
  orgId: "org_1",
  sequence: 7,
  data: { id: "cat_1" },
  actorId: "usr_1",
  requestId: "r-1",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  time: new Date("2024-05-06T07:08:09.123Z"),
};

describe("an event on the wire", () => {
  test("is CloudEvents 1.0 in JSON with our extensions", () => {
    expect(JSON.parse(writeEvent(event))).toEqual({
      specversion: "1.0",
      id: "evt_1",
      source: "assistant/contexts",
      type: "contexts.context_category.created",
      subject: "cat_1",
      time: "2024-05-06T07:08:09.123Z",
      datacontenttype: "application/json",
      dataschema: "urn:assistant:message:assistant.contexts.v1.ContextCategory",
      orgid: "org_1",
      actorid: "usr_1",
      requestid: "r-1",
      traceparent: event.traceparent,
      sequence: "0000000007",
      data: { id: "cat_1" },
    });
  });

  test("is read back as it was, also where nobody in particular is behind it", () => {
    expect(readEvent(writeEvent(event))).toEqual(event);
    const bare = { ...event, orgId: "", actorId: "", requestId: "", traceparent: "" };
    expect(JSON.parse(writeEvent(bare))).not.toHaveProperty("actorid");
    expect(readEvent(writeEvent(bare))).toEqual(bare);
  });

  test("has sequences that sort as texts in the order of their numbers", () => {
    const numbers = [9, 10, 999, 2_147_483_647];
    const sequences = numbers.map((sequence) => String(JSON.parse(writeEvent({ ...event, sequence })).sequence));
    expect(sequences.toSorted()).toEqual(sequences);
  });

  test("of a later release is read as well: what is not known is passed over", () => {
    expect(readEvent(JSON.stringify({ ...JSON.parse(writeEvent(event)), newextension: "x" }))).toEqual(event);
  });

  test.each(["id", "type", "subject", "time", "sequence", "data"])("without %s is refused", (name) => {
    const envelope = { ...JSON.parse(writeEvent(event)), [name]: undefined };
    expect(() => readEvent(JSON.stringify(envelope))).toThrow(/of the event|has no/);
  });
});
