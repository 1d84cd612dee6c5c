/** `EVENTS_CONTEXTS`, the stream of a service's events. */
export function streamOf(service: string): string {
  return `EVENTS_${service.toUpperCase()}`;
}

/** `events.contexts.context.created`, the subject of a type of event; `contexts.>` for all of a service. */
export function subjectOf(type: string): string {
  return `events.${type}`;
}
