/** Why a message was refused, in the order in which it is looked at. */
export type RefusalCode =
  // The envelope.
  | "too_large"
  | "encoding"
  | "query"
  | "deflate"
  // The text.
  | "markup_forbidden"
  | "characters"
  | "not_well_formed"
  | "too_complex"
  // The structure.
  | "root"
  | "version"
  | "structure"
  | "ids"
  | "assertion_count"
  | "signature_place"
  | "signature_form"
  | "signature_reference"
  | "algorithm"
  | "encryption_form"
  | "encryption_algorithm"
  | "encrypted_part"
  // What it says of itself.
  | "status"
  | "destination"
  | "issuer"
  | "in_response_to"
  | "issue_instant"
  | "unsolicited"
  // The signature.
  | "unsigned"
  | "signature"
  | "decryption"
  // What is signed.
  | "subject"
  | "name_id"
  | "name_id_format"
  | "confirmation"
  | "conditions"
  | "expired"
  | "audience"
  | "authn_statement"
  | "session_ended"
  | "attributes"
  // Metadata.
  | "descriptor"
  | "endpoint"
  | "certificate"
  | "metadata_expired";

/** Ends the reading of a message. */
export function refuse(code: RefusalCode): never {
  throw Object.assign(new Error(`refused: ${code}`), { refusal: code });
}

export function isRefusal(error: unknown): error is Error & { refusal: RefusalCode } {
  return error instanceof Error && "refusal" in error;
}
