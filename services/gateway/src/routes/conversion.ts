import { ConversionServiceService as conversion } from "@assistant/proto/assistant/conversion/v1/service.js";
import { route } from "../route.js";
import { type AnyRoute, upload } from "../upload-route.js";

/** Files in, files out: nothing is created, so there is nothing to find again. */
export const conversionRoutes: readonly AnyRoute[] = [
  upload("/api/pdf-converter", conversion.convertToPdf, { media: ["application/pdf"] }),
  route("get", "/api/pdf-converter/formats", conversion.listPdfFormats, { respond: "*" }),
  upload("/api/xlsx-converter", conversion.convertToXlsx, {
    media: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  }),
  route("get", "/api/xlsx-converter/formats", conversion.listXlsxFormats, { respond: "*" }),
];
