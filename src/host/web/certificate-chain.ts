import { X509Certificate, type KeyObject } from 'node:crypto'

// Validates the chain that an authority sent before it is served. Pure: no file, no clock.

/** A certificate that may be served. */
export type Certificate = {
  /** The website's own certificate and its issuers', nothing else. */
  pem: string
  issuer: string
  beginsAt: Date
  expiresAt: Date
}

// A website's certificate has one to three issuers, of 2 KiB each.
const maxLength = 65_536
const maxCertificates = 10

/**
 * Validates a chain (PEM, the website's own first) for a key, exactly these names and this moment.
 *
 * @throws with a sentence that says what is wrong
 */
export function validate(
  chain: string,
  { key, names, now }: { key: KeyObject; names: readonly string[]; now: Date },
): Certificate {
  const certificates = parse(chain)
  const [own] = certificates
  if (own === undefined) throw new Error('The authority sent no certificate')
  if (own.ca) throw new Error('The certificate is a CA certificate')
  if (!own.checkPrivateKey(key)) throw new Error('The certificate is for another key')
  const found = namesOf(own)
  if ([...names].sort().join() !== found.sort().join()) {
    throw new Error(`The certificate is for other names: ${found.join(', ').slice(0, 300)}`)
  }
  if (own.validFromDate > now)
    throw new Error(`The certificate is not valid until ${own.validFrom}`)
  if (own.validToDate <= now) throw new Error(`The certificate expired at ${own.validTo}`)
  for (const [index, above] of certificates.slice(1).entries()) {
    const below = certificates[index]!
    if (!above.ca || !below.checkIssued(above) || !below.verify(above.publicKey)) {
      throw new Error('The chain does not contain the certificates of its issuers')
    }
  }
  return {
    pem: certificates.map(certificate => certificate.toString()).join(''),
    issuer: issuerOf(own),
    beginsAt: own.validFromDate,
    expiresAt: own.validToDate,
  }
}

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g

function parse(chain: string): X509Certificate[] {
  if (chain.length > maxLength) throw new Error('The certificate chain is too long')
  const blocks = chain.match(block) ?? []
  if (blocks.length > maxCertificates) throw new Error('The chain has too many certificates')
  try {
    return blocks.map(text => new X509Certificate(text))
  } catch (cause) {
    throw new Error('The authority sent something that is not a certificate', { cause })
  }
}

/**
 * Returns the host names of a certificate; anything else in it (an address, a quoted name)
 * unchanged.
 */
const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  subjectAltName
    .split(', ')
    .filter(Boolean)
    .map(name => name.replace(/^DNS:/, ''))

/** Returns a readable name of the issuer: its organisation, or else its common name. */
function issuerOf({ issuer }: X509Certificate): string {
  const part = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(issuer)?.[1]
  const name = (part('O') || part('CN') || 'unknown').replace(/\p{Cc}/gu, '')
  // The cut may split a character, which no event accepts.
  return name.slice(0, 200).toWellFormed()
}
