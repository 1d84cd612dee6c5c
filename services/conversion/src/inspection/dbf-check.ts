/**
 * Whether a file of so many bytes that begins with these is a dBASE table. It has no magic number but a version, so all
 * that its header says must fit together.
 */
export function isDbf(head: Buffer, sizeBytes: number): boolean {
  if (head.length < HEADER_BYTES || !VERSIONS.has(head[0] ?? 0)) return false;
  const [month = 0, day = 0] = head.subarray(2, 4);
  const records = head.readUInt32LE(4);
  const headerBytes = head.readUInt16LE(8);
  const recordBytes = head.readUInt16LE(10);
  const fieldsEnd = endOfFields(head, headerBytes);
  const isDated = (month >= 1 && month <= 12 && day >= 1 && day <= 31) || (month === 0 && day === 0);
  return isDated && fieldsEnd && recordBytes > 1 && sizeBytes >= headerBytes + records * recordBytes;
}

const HEADER_BYTES = 32;
const FIELD_BYTES = 32;
const FIELDS_END = 0x0d;

/** dBASE III and IV, FoxPro and Visual FoxPro, with and without memo files. */
const VERSIONS = new Set([0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0x8c, 0xcb, 0xf5, 0xfb]);

function endOfFields(head: Buffer, headerBytes: number): boolean {
  for (let at = HEADER_BYTES + FIELD_BYTES; at < headerBytes && at < head.length; at += FIELD_BYTES) {
    if (head[at] === FIELDS_END) return true;
  }
  return false;
}
