import { ContextsServiceService as contexts } from "@assistant/proto/assistant/contexts/v1/service.js";
import { ConversionServiceService as conversion } from "@assistant/proto/assistant/conversion/v1/service.js";
import { expect, test } from "@jest/globals";
import { route } from "./route.js";
import { upload } from "./upload-route.js";

const media = ["application/pdf"] as const;

test("a row names path, rpc and media, is a POST with a bearer, and has a rate of its own", () => {
  const row = upload("/api/pdf-converter", conversion.convertToPdf, { media });
  expect(row).toMatchObject({ method: "post", path: "/api/pdf-converter", open: false, rate: "convert", media });
  expect(row.rpc.path).toBe("/assistant.conversion.v1.ConversionService/ConvertToPdf");
});

test("what does not take a file and answer one makes no such row", () => {
  // @ts-expect-error It does not stream.
  upload("/api/pdf-converter", conversion.listPdfFormats, { media });
  // @ts-expect-error Its messages are no parts of files.
  upload("/api/contexts", { ...contexts.getContext, requestStream: true, responseStream: true }, { media });
  // @ts-expect-error A file is all that the request says.
  upload("/api/{kind}-converter", conversion.convertToPdf, { media });
  // @ts-expect-error What streams is no row of JSON.
  route("post", "/api/pdf-converter", conversion.convertToPdf, { body: "*", respond: "*" });
  expect.assertions(0);
});
