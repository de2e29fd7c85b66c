import { X509Certificate } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

// Certificate authorities that webhook receivers may use, in addition to the public ones.

// Some hundred certificates.
const maxBytes = 1_048_576

/**
 * Returns the certificates of a PEM file, as PEM (PANEL_WEBHOOK_CA).
 *
 * @throws with a sentence if it cannot be read, contains none, or contains a broken one
 */
export function readAuthorities(path: string): string[] {
  const text = readStart(path)
  if (text.length > maxBytes) throw new Error(`${path} is over 1 MiB`)
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) throw new Error(`${path} contains no PEM certificate`)
  for (const [index, pem] of found.entries()) {
    if (!isAuthority(pem))
      throw new Error(`${path}: certificate ${index + 1} is not a CA certificate`)
  }
  return found
}

function readStart(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(maxBytes + 1)
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${path} cannot be read (${code})`, { cause: error })
  }
}

// A receiver's own certificate counts as an authority if it is self-signed: OpenSSL trusts it as a
// root.
function isAuthority(pem: string): boolean {
  try {
    const certificate = new X509Certificate(pem)
    return certificate.ca || certificate.checkIssued(certificate)
  } catch {
    return false
  }
}
