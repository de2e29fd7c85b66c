import { createHash, createPublicKey } from 'node:crypto'
import { z } from 'zod'

// Public keys in OpenSSH's format: a type, the key in base64, and a comment. A key for the machine
// is parsed to its last byte first: sshd reads anything before the type as options, and silently
// ignores a line that it cannot read.

/** Parses what follows the type in a key's bytes (RFC 4253, 5656, 8709; OpenSSH's PROTOCOL.u2f). */
const kinds = new Map<string, (read: Reader) => string | undefined>([
  ['ssh-ed25519', read => (read().length === 32 ? undefined : broken)],
  ['ecdsa-sha2-nistp256', curve('nistp256', 'P-256', 32)],
  ['ecdsa-sha2-nistp384', curve('nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', curve('nistp521', 'P-521', 66)],
  [
    'sk-ssh-ed25519@openssh.com',
    read => (read().length === 32 && isApplication(read()) ? undefined : broken),
  ],
  [
    'sk-ecdsa-sha2-nistp256@openssh.com',
    read => curve('nistp256', 'P-256', 32)(read) ?? (isApplication(read()) ? undefined : broken),
  ],
  ['ssh-rsa', rsa],
])

/** Returns the next string of a key's bytes. */
type Reader = () => Buffer

const broken = 'is incomplete or damaged: copy the whole line'

// The longest key is RSA with 16,384 bits, the maximum that OpenSSH reads.
const longest = 3_000

/** A key as it is stored: type and base64, with one space between. */
export const publicKey = z
  .string()
  .max(longest)
  .superRefine((key, context) => {
    const wrong = validate(key)
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: wrong })
  })

/** A key as it is typed or pasted: a line of a .pub file, with its comment. */
export const publicKeyLine = z
  .string()
  .max(longest + 1_000, 'is longer than any key')
  .transform((text, context) => {
    const line = text.trim()
    const wrong = validateFile(line)
    const [kind = '', base64 = '', ...comment] = line.split(/ +/)
    const key = `${kind} ${base64}`
    const message = wrong ?? validate(key)
    if (message === undefined) return { key, comment: comment.join(' ').slice(0, 100) }
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** Returns the fingerprint, as `ssh-keygen -l` shows it. */
export const fingerprintOf = (key: string): string => {
  const bytes = Buffer.from(key.split(' ')[1] ?? '', 'base64')
  return `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '')}`
}

function validateFile(line: string): string | undefined {
  if (/PRIVATE KEY|PuTTY-User-Key/.test(line)) {
    return 'is a private key: keep it secret, and paste the content of the .pub file instead'
  }
  if (line.startsWith('---- BEGIN SSH2')) return 'must be in OpenSSH format, on one line'
  return /[\p{Cc}\p{Cs}]/u.test(line) ? 'must be one line' : undefined
}

function validate(key: string): string | undefined {
  const [kind = '', base64 = '', ...more] = key.split(' ')
  const read = kinds.get(kind)
  if (kind === 'ssh-dss') return 'is of a type that is no longer safe: generate an ssh-ed25519 key'
  if (read === undefined) {
    return `must begin with ${[...kinds.keys()].join(', ')}, with nothing before it`
  }
  const bytes = Buffer.from(base64, 'base64')
  // Accepts only base64, in its canonical encoding.
  if (base64 === '' || more.length > 0 || bytes.toString('base64') !== base64) return broken
  let at = 0
  const next = () => {
    const length = bytes.readUInt32BE(at)
    const end = at + 4 + length
    if (end > bytes.length) throw new RangeError('it ends before its string')
    const string = bytes.subarray(at + 4, end)
    at = end
    return string
  }
  try {
    if (next().toString('latin1') !== kind) return broken
    return read(next) ?? (at === bytes.length ? undefined : broken)
  } catch (error) {
    if (error instanceof RangeError) return broken
    throw error
  }
}

function curve(name: string, crv: string, size: number) {
  return (read: Reader): string | undefined => {
    if (read().toString('latin1') !== name) return broken
    const point = read()
    if (point.length !== 1 + 2 * size || point[0] !== 4) return broken
    const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)]
    const toText = (bytes: Buffer) => bytes.toString('base64url')
    try {
      // Throws if it is not a point of the curve.
      createPublicKey({ format: 'jwk', key: { kty: 'EC', crv, x: toText(x), y: toText(y) } })
      return undefined
    } catch {
      return broken
    }
  }
}

// Returns whether a security key needs to be touched at login, since the line has no options.
const isApplication = (bytes: Buffer): boolean =>
  /^ssh:[!-~]{0,100}$/.test(bytes.toString('latin1'))

function rsa(read: Reader): string | undefined {
  const [exponent, modulus] = [read(), read()]
  // Returns whether a number is encoded minimally and is not negative (RFC 4251, mpint).
  const isWhole = (one: Buffer) =>
    one.length > 0 && one[0]! < 128 && !(one[0] === 0 && (one[1] ?? 0) < 128)
  if (!isWhole(exponent) || !isWhole(modulus) || exponent.length > 8) return broken
  if (exponent.at(-1)! % 2 === 0 || modulus.at(-1)! % 2 === 0) return broken
  const bits = BigInt(`0x${modulus.toString('hex')}`).toString(2).length
  if (bits < 2_048) return `has ${bits} bits, but RSA needs 2048: generate an ssh-ed25519 key`
  return bits > 16_384 ? 'has more than 16384 bits' : undefined
}
