import { createHash, randomBytes } from 'node:crypto'

// Passwords of the users of databases.

/**
 * A password that is made, never chosen: what MariaDB keeps of one is fast to try out, so that only
 * a long random one is safe where a copy of it is lost.
 */
export const makePassword = (): string => passwordFrom(randomBytes(32))

/** The same of 32 bytes that nobody else can know or choose: the same bytes, the same password. */
export function passwordFrom(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  return Array.from({ length: 24 }, () => {
    const letter = letters[Number(rest % BigInt(letters.length))]
    rest /= BigInt(letters.length)
    return letter
  }).join('')
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** What MariaDB compares a password with (mysql_native_password). */
export function hashForMariaDb(password: string): string {
  const sha1 = (data: string | Buffer) => createHash('sha1').update(data).digest()
  return `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
}
