/** What happened to one thing, as services tell each other. */
export interface DomainEvent {
  readonly id: string;
  /** `<service>.<noun>.<past verb>` */
  readonly type: string;
  /** Id of the thing. */
  readonly subject: string;
  readonly orgId: string;
  /** Version of the thing after the change. Events may overtake each other: apply only what is greater than what you have. */
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly actorId: string;
  readonly requestId: string;
  readonly traceparent: string;
  readonly time: Date;
}

/** The event as CloudEvents 1.0 in JSON. */
export function writeEvent(event: DomainEvent): string {
  return JSON.stringify({
    specversion: "1.0",
    id: event.id,
    source: `assistant/${serviceOf(event.type)}`,
    type: event.type,
    subject: event.subject,
    time: event.time.toISOString(),
    datacontenttype: "application/json",
    dataschema: schemaOf(event.type),
    // Extensions are never empty; nobody in particular is left out.
    ...(event.orgId !== "" && { orgid: event.orgId }),
    ...(event.actorId !== "" && { actorid: event.actorId }),
    ...(event.requestId !== "" && { requestid: event.requestId }),
    ...(event.traceparent !== "" && { traceparent: event.traceparent }),
    // CloudEvents compares sequences as texts.
    sequence: String(event.sequence).padStart(SEQUENCE_DIGITS, "0"),
    data: event.data,
  });
}

/** Reads what `writeEvent` wrote; throws if it is anything else. */
export function readEvent(text: string): DomainEvent {
  const envelope: unknown = JSON.parse(text);
  if (!isRecord(envelope) || envelope.specversion !== "1.0") {
    throw new Error("this is no event in CloudEvents 1.0");
  }
  const { data } = envelope;
  const time = new Date(textOf(envelope, "time"));
  const sequence = Number(textOf(envelope, "sequence"));
  if (!isRecord(data) || Number.isNaN(time.getTime()) || !Number.isSafeInteger(sequence)) {
    throw new Error("data, time or sequence of the event cannot be read");
  }
  return {
    id: textOf(envelope, "id"),
    type: textOf(envelope, "type"),
    subject: textOf(envelope, "subject"),
    orgId: textOf(envelope, "orgid", ""),
    sequence,
    data,
    actorId: textOf(envelope, "actorid", ""),
    requestId: textOf(envelope, "requestid", ""),
    traceparent: textOf(envelope, "traceparent", ""),
    time,
  };
}

/** `contexts` out of `contexts.context.created`. */
export function serviceOf(type: string): string {
  return type.slice(0, type.indexOf("."));
}

const SEQUENCE_DIGITS = 10;

/** The noun of an event names its message: `contexts.context_category.created` tells of `assistant.contexts.v1.ContextCategory`. */
function schemaOf(type: string): string {
  const [service, noun = ""] = type.split(".");
  const message = noun.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `urn:assistant:message:assistant.${service}.v1.${message}`;
}

function textOf(envelope: Readonly<Record<string, unknown>>, name: string, otherwise?: string): string {
  const value = envelope[name] ?? otherwise;
  if (typeof value !== "string") {
    throw new Error(`the event has no ${name}`);
  }
  return value;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
