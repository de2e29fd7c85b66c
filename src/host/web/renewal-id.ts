/**
 * Returns the id for asking an authority about a certificate's renewal (RFC 9773, section 4.1): the
 * key of its issuer and its serial number. Null if the certificate does not name the key, as public
 * ones do.
 *
 * @param pem the certificate, first of a chain
 */
export async function renewalIdOf(pem: string): Promise<string | null> {
  // Imported on first use, as for requests.
  const x509 = await import('@peculiar/x509')
  const certificate = new x509.X509Certificate(pem.slice(0, pem.indexOf(end) + end.length))
  const { keyId } = certificate.getExtension(x509.AuthorityKeyIdentifierExtension) ?? {}
  if (keyId === undefined) return null
  const id = [Buffer.from(keyId, 'hex'), serialOf(certificate.serialNumber)]
  // Both have at most 20 bytes (RFC 5280), and the database's column is limited.
  if (id.some(({ length }) => length === 0 || length > maxBytes)) return null
  return id.map(bytes => bytes.toString('base64url')).join('.')
}

/** Encodes a positive number in DER: with a leading zero byte where it would look negative. */
const serialOf = (hex: string): Buffer =>
  Buffer.from(parseInt(hex.slice(0, 2), 16) >= 0x80 ? `00${hex}` : hex, 'hex')

const end = '-----END CERTIFICATE-----'
const maxBytes = 64
