import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// What must be readable again, but not by whoever gets hold of the database: AES-256-GCM.

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** A key for one purpose, from a key that serves several. */
export const keyFor = (purpose: string, key: string | Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, 32))

/**
 * Nonce, tag and text, under a random nonce.
 *
 * @param about what it belongs to: moved to something else it cannot be opened
 */
export function seal(text: Buffer, key: Buffer, about = ''): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(about))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** @throws if it was sealed under another key or for something else, or changed */
export function unseal(sealed: Buffer, key: Buffer, about = ''): Buffer {
  const nonce = sealed.subarray(0, nonceLength)
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(about))
    .setAuthTag(tag)
  const text = sealed.subarray(nonceLength + tagLength)
  return Buffer.concat([decipher.update(text), decipher.final()])
}
