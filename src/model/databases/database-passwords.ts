import { createHash, randomBytes } from 'node:crypto'

// Passwords of database users.

/**
 * Generates a password. Users cannot choose one: MariaDB's hash is fast to guess against, so only a
 * long random password is safe if the hash leaks.
 */
export const makePassword = (): string => passwordFrom(randomBytes(32))

/** Derives a password from 32 secret random bytes; the same bytes give the same password. */
export function passwordFrom(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  return Array.from({ length: 24 }, () => {
    const letter = letters[Number(rest % BigInt(letters.length))]
    rest /= BigInt(letters.length)
    return letter
  }).join('')
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns the hash that MariaDB compares a password with (mysql_native_password). */
export function hashForMariaDb(password: string): string {
  const sha1 = (data: string | Buffer) => createHash('sha1').update(data).digest()
  return `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
}
