// What an authority sends is judged before it is stored: PostgreSQL takes no zero bytes, and a
// chain that can't be recorded would end the courier, again and again.

// A certificate has one to three above it, of 2 KiB each.
const maxLength = 65_536

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----/g

/**
 * The certificates (PEM) of an answer, and nothing else of it.
 *
 * @throws with a sentence that says what is wrong
 */
export function chainIn(answer: unknown): string {
  // The library takes JSON for what it says, whatever was asked for.
  const text = typeof answer === 'string' ? answer : ''
  if (text.length > maxLength) throw new Error('The certificate chain is too long')
  const blocks = text.match(block)
  if (blocks === null) throw new Error('The authority sent no PEM certificate')
  return blocks.map(each => `${each}\n`).join('')
}
