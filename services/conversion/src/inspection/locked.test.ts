import { describe, expect, test } from "@jest/globals";
import { sample, verdict } from "../testing/verdict.js";

describe("a file that needs a password", () => {
  test.each(["doc", "docx", "odp", "odt", "pdf", "pptx", "xls", "xlsx"])("says so: %s", async (extension) => {
    const bytes = await sample(`hostile/encrypted.${extension}`);
    expect(await verdict(bytes, `x.${extension}`)).toBe("file_password_protected");
    expect(await verdict(bytes, "x")).toBe("file_password_protected");
  });

  test("is another than a workbook whose structure is protected, which opens without", async () => {
    expect(await verdict(await sample("hostile/structure-protected.xls"), "x.xls")).toBe("xls");
  });

  test("cut short is corrupt or still locked, never taken", async () => {
    for (const name of ["encrypted.docx", "encrypted.xls", "encrypted.doc", "encrypted.odt", "encrypted.pdf"]) {
      const whole = await sample(`hostile/${name}`);
      for (let tenth = 1; tenth < 10; tenth += 1) {
        const cut = whole.subarray(0, Math.round((whole.length * tenth) / 10));
        expect([name, tenth, await verdict(cut, name)]).toEqual([
          name,
          tenth,
          expect.stringMatching(/^file_(?:corrupt|password_protected)$/),
        ]);
      }
    }
  });
});
