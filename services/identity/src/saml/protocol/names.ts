/** The names that SAML 2.0 and the XML standards under it give to things. */
export const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
export const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
export const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
export const DSIG = "http://www.w3.org/2000/09/xmldsig#";
export const XENC = "http://www.w3.org/2001/04/xmlenc#";

export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
export const ENTITY_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
export const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
export const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
export const PARTIAL_LOGOUT = "urn:oasis:names:tc:SAML:2.0:status:PartialLogout";
export const REDIRECT_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
export const POST_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

export const EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
export const ENVELOPED = `${DSIG}enveloped-signature`;
export const RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
export const RSA_SHA512 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512";
export const SHA256 = `${XENC}sha256`;
export const SHA512 = `${XENC}sha512`;
export const RSA_OAEP = `${XENC}rsa-oaep-mgf1p`;
export const AES128_GCM = "http://www.w3.org/2009/xmlenc11#aes128-gcm";
export const AES256_GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm";
export const AES128_CBC = `${XENC}aes128-cbc`;
export const AES256_CBC = `${XENC}aes256-cbc`;
