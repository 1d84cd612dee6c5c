const MIB = 1_048_576;

/** Members of one zip file. */
export const ZIP_MEMBERS_MAX = 10_000;

/** All members of one zip file together, unpacked. */
export const UNPACKED_MAX_BYTES = 512 * MIB;

/** One XML document, in a zip file or alone: engines build a tree of it, ten to forty times as large. */
export const XML_MAX_BYTES = 128 * MIB;

/** Unpacked to packed bytes of a member, if it is over `RATIO_FROM_BYTES`: small ones do no harm. */
export const RATIO_MAX = 200;
export const RATIO_FROM_BYTES = 8 * MIB;

/** Elements within each other. Honest documents stay under a hundred. */
export const XML_DEPTH_MAX = 1_000;

/** One picture, whatever its bytes: drawn it takes four bytes a pixel. */
export const PIXELS_MAX = 100_000_000;
