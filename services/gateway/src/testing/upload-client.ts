import type { OutgoingHttpHeaders } from "node:http";
import { type Act, createTestConversion, type SeenCall } from "./conversion.js";
import { FORM_TYPE } from "./form.js";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "./gateway.js";
import { type RawAnswer, send } from "./raw.js";

/** A client with a token, before a gateway and a conversion service that does what names of files ask for. */
export interface UploadClient {
  readonly gateway: TestGateway;
  readonly token: string;
  readonly calls: SeenCall[];
  /** Sends a body to be converted to PDF; headers of null are left out. */
  post(body: Buffer | string, headers?: Readonly<Record<string, string | null>>, path?: string): Promise<RawAnswer>;
}

export async function startUploadClient(
  acts: Readonly<Record<string, Act>> = {},
  options: TestGatewayOptions = {},
): Promise<UploadClient> {
  const { handlers, calls } = createTestConversion(acts);
  const gateway = await startTestGateway({ conversion: handlers, ...options });
  const token = await gateway.identity.token({});
  return {
    gateway,
    token,
    calls,
    post: (body, headers = {}, path = PATH) => {
      const all = { authorization: `Bearer ${token}`, "content-type": FORM_TYPE, ...headers };
      const sent: OutgoingHttpHeaders = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      return send(gateway.port, { method: "POST", path, headers: sent, body });
    },
  };
}

export const PATH = "/api/pdf-converter";
