// Validates an authority's answer before it is stored: PostgreSQL accepts no zero bytes, and a
// chain that cannot be recorded would end the courier, again and again.

// A certificate has one to three issuers, of 2 KiB each.
const maxLength = 65_536

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----/g

/**
 * Returns the certificates (PEM) in an answer, and nothing else of it.
 *
 * @throws with a sentence that says what is wrong
 */
export function chainIn(answer: unknown): string {
  // The library parses an answer that says it is JSON, whatever was requested.
  const text = typeof answer === 'string' ? answer : ''
  if (text.length > maxLength) throw new Error('The certificate chain is too long')
  const blocks = text.match(block)
  if (blocks === null) throw new Error('The authority sent no PEM certificate')
  return blocks.map(each => `${each}\n`).join('')
}
