import { aboutOf, always, bytes, header, headerParameter, refer } from "./openapi-operation.js";
import type { Schemas } from "./schema.js";
import type { UploadOperation } from "./upload-operation.js";

/** One operation of the document that takes a file and answers one. */
export function documentUpload(operation: UploadOperation, schemas: Schemas): object {
  const { route } = operation;
  return {
    ...aboutOf(operation, schemas),
    parameters: [headerParameter("Prefer"), headerParameter("RequestId")],
    requestBody: { required: true, content: { "multipart/form-data": { schema: FORM } } },
    responses: {
      [route.status]: {
        description: "The file, to be saved under the name that it had, with its new extension.",
        headers: {
          ...header("X-Request-Id", "RequestId"),
          ...header("RateLimit", "RateLimit"),
          ...header("RateLimit-Policy", "RateLimitPolicy"),
          ...header("ETag", "UploadETag"),
          ...header("Content-Disposition", "ContentDisposition"),
          ...header("Server-Timing", "ServerTiming"),
        },
        content: bytes(route.media),
      },
      400: refer("UploadUnreadable"),
      401: refer("Unauthenticated"),
      403: refer("Forbidden"),
      404: refer("NotFound"),
      413: refer("UploadTooLarge"),
      415: refer("UploadUnsupported"),
      422: refer("UploadRefused"),
      ...always,
    },
  };
}

const FORM = {
  type: "object",
  properties: {
    file: {
      type: "string",
      format: "binary",
      description: "The file, with its name: what is in it decides what it is, and the extension has to fit.",
    },
  },
  required: ["file"],
};
