import { describe, expect, test } from "@jest/globals";
import CFB from "cfb";
import { sample, verdict } from "../testing/verdict.js";

/** A compound file of streams at its root, or in storages. */
function compound(streams: Record<string, Buffer>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, content);
  return Buffer.from(CFB.write(file, { type: "buffer" }) as Uint8Array);
}

const SECTOR = 512;
const USER = Buffer.from("0000f60f140000001400000", "latin1");

function currentUser(token: number): Buffer {
  const atom = Buffer.alloc(32);
  USER.copy(atom, 0, 0, 8);
  atom.writeUInt32LE(token, 12);
  return atom;
}

describe("a compound file", () => {
  const SLIDES = Buffer.alloc(5_000, 1);

  test("is what the streams at its root say", async () => {
    const plain = { "/PowerPoint Document": SLIDES, "/Current User": currentUser(0xe391c05f) };
    expect(await verdict(compound(plain), "x.ppt")).toBe("ppt");
    expect(await verdict(compound({ ...plain, "/Current User": currentUser(0xf3d1c4df) }), "x.ppt")).toBe(
      "file_password_protected",
    );
    expect(await verdict(compound({ ...plain, "/ObjectPool/1/Workbook": SLIDES }), "x.ppt")).toBe("ppt");
    expect(await verdict(compound({ "/ObjectPool/1/Workbook": SLIDES }), "x.xls")).toBe("unsupported_media_type");
    expect(await verdict(compound({ "/\tDRMContent": SLIDES, "/WordDocument": SLIDES }), "x.doc")).toBe(
      "file_password_protected",
    );
  });

  test.each(["formats/one-page.doc", "formats/small.xls", "formats/book.xls"])(
    "%s cut short is corrupt",
    async (path) => {
      const whole = await sample(path);
      for (let tenth = 2; tenth < 10; tenth += 1) {
        // Within its last sector a file may end anywhere.
        const cut = whole.subarray(0, Math.floor((whole.length * tenth) / 10 / SECTOR) * SECTOR);
        expect([tenth, await verdict(cut, path)]).toEqual([tenth, "file_corrupt"]);
      }
    },
  );

  test("whose sectors run in a circle is corrupt", async () => {
    const whole = compound({ "/WordDocument": Buffer.alloc(100_000) });
    const table = (whole.readUInt32LE(76) + 1) * 512;
    for (let at = table; at < table + 512; at += 4) {
      const circular = Buffer.from(whole);
      circular.writeUInt32LE((at - table) / 4, at);
      expect(await verdict(circular, "x.doc")).toMatch(/^(?:file_corrupt|doc)$/);
    }
    const endless = Buffer.from(whole);
    for (let at = table; at < table + 512; at += 4) endless.writeUInt32LE((at - table) / 4, at);
    expect(await verdict(endless, "x.doc")).toBe("file_corrupt");
  });

  test("that claims a larger table than it is, is corrupt", async () => {
    const huge = compound({ "/WordDocument": Buffer.alloc(5_000) });
    huge.writeUInt32LE(0x00ffffff, 44);
    expect(await verdict(huge, "x.doc")).toBe("file_corrupt");
  });
});

describe("a PDF", () => {
  test("of 16 bytes, or cut short, is corrupt", async () => {
    expect(await verdict("%PDF-1.7\n%%EOF\n\n", "x.pdf")).toBe("file_corrupt");
    const whole = await sample("formats/plain.pdf");
    for (let tenth = 1; tenth < 10; tenth += 1) {
      const cut = whole.subarray(0, Math.round((whole.length * tenth) / 10));
      expect([tenth, await verdict(cut, "x.pdf")]).toEqual([tenth, "file_corrupt"]);
    }
  });

  test("may have something before it and after it", async () => {
    const whole = await sample("formats/plain.pdf");
    expect(await verdict(Buffer.concat([Buffer.from("\r\n"), whole]), "x.pdf")).toBe("pdf");
    expect(await verdict(Buffer.concat([whole, Buffer.alloc(1_000)]), "x.pdf")).toBe("pdf");
  });

  test("is known to be encrypted even where its pointers lead astray", async () => {
    const locked = await sample("hostile/encrypted.pdf");
    expect(await verdict(Buffer.concat([Buffer.from("\r\n"), locked]), "x.pdf")).toBe("file_password_protected");
  });

  test("that only speaks of encryption is not encrypted", async () => {
    const whole = (await sample("formats/plain.pdf")).toString("latin1");
    const speaking = Buffer.from(`%PDF-1.7\n% /Encrypt 1 0 R\n${whole}`, "latin1");
    const start = Number(/startxref\s+(\d+)/.exec(whole)?.[1]);
    const moved = start + "%PDF-1.7\n% /Encrypt 1 0 R\n".length;
    const pointed = Buffer.from(
      speaking.toString("latin1").replace(/startxref\s+\d+/, `startxref\n${moved}`),
      "latin1",
    );
    expect(await verdict(pointed, "x.pdf")).toBe("pdf");
  });
});

describe("a dBASE table", () => {
  const table = (records: number): Buffer => {
    const head = Buffer.alloc(65 + 11 * records, 0x20);
    head.set([0x03, 126, 11, 21], 0);
    head.writeUInt32LE(records, 4);
    head.writeUInt16LE(65, 8);
    head.writeUInt16LE(11, 10);
    head.fill(0, 12, 64);
    head.write("NAME\0\0\0\0\0\0\0C", 32, "latin1");
    head[48] = 10;
    head[64] = 0x0d;
    return head;
  };

  test("is known by a header that fits together", async () => {
    expect(await verdict(table(2), "x.dbf")).toBe("dbf");
    expect(await verdict(table(2).subarray(0, -11), "x.dbf")).toBe("unsupported_media_type");
    const undated = table(2);
    undated[2] = 13;
    expect(await verdict(undated, "x.dbf")).toBe("unsupported_media_type");
  });
});
