import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

// Hashes for passwords that the panel itself compares: Argon2id (RFC 9106) in the PHC string
// format.

const deriveKey = promisify(argon2)

// OWASP considers several settings of Argon2id equally strong (2024). This one takes the least
// time, 17 ms where 19 MiB in two passes take 27, and the least memory: 7 MiB, five passes.
const cost = { memory: 7_168, passes: 5, parallelism: 1, tagLength: 32 }
const parameters = `m=${cost.memory},t=${cost.passes},p=1`

/** Returns the hash of a password for storage. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const key = await deriveKey('argon2id', { message: password, nonce, ...cost })
  return `$argon2id$v=19$${parameters}$${base64(nonce)}$${base64(key)}`
}

/** Compares in constant time, and takes as long without a hash to compare with. */
export type IsPassword = (password: string, hash: string | null) => Promise<boolean>

export const isPassword: IsPassword = (password, hash) => compare(password, hash ?? nobodys)

// A hash that no password has: its key is all zeros.
const nobodys = `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'A'.repeat(43)}`

async function compare(password: string, hash: string): Promise<boolean> {
  const [, , , own = '', nonce = '', key = ''] = hash.split('$')
  const [, memory, passes] = /^m=([0-9]+),t=([0-9]+),p=1$/.exec(own) ?? []
  const expected = Buffer.from(key, 'base64')
  const found = await deriveKey('argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: 1,
    tagLength: expected.length,
  })
  return timingSafeEqual(expected, found)
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
