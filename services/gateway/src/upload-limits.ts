/** What an upload may cost. */
export interface UploadLimits {
  /** The largest file. */
  readonly bytesMax: number;
  /** How long a client may keep us waiting in all, beside the time that its bytes have earned it. */
  readonly patienceMs: number;
  /** How long a whole body may take to arrive. */
  readonly arrivalMs: number;
  /** How long the service may take until it answers, once the body is there. */
  readonly answerMs: number;
  /** How long the rest of a body is let through unread, so that its client gets to see the answer. */
  readonly lingerMs: number;
}

/**
 * 100 MiB in ten minutes are 1.4 Mbit/s. Who sends next to nothing is not waited for that long: it is the least rate
 * that tells a slow line from a client that only holds on to a place.
 */
export const UPLOAD_LIMITS: UploadLimits = {
  bytesMax: 104_857_600,
  patienceMs: 10_000,
  arrivalMs: 600_000,
  answerMs: 120_000,
  lingerMs: 10_000,
};

/** Bytes that earn a client a millisecond more. */
export const BYTES_PER_MS_MIN = 16;

/** What boundaries, part headers and other parts may add to the file. */
export const FORM_BYTES_MAX = 1_024 * 1_024;

export const PARTS_MAX = 64;
