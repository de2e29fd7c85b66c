import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// Encryption (AES-256-GCM) of stored secrets that the panel must be able to read again.

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/** Derives a key for one purpose from a key with several. */
export const keyFor = (purpose: string, key: string | Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, 32))

/**
 * Encrypts with a random nonce; returns nonce, tag and ciphertext.
 *
 * @param context what the text belongs to; it cannot be decrypted in any other context
 */
export function seal(text: Buffer, key: Buffer, context = ''): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/**
 * Decrypts a sealed text.
 *
 * @throws if it was sealed with another key or in another context, or was changed
 */
export function unseal(sealed: Buffer, key: Buffer, context = ''): Buffer {
  const nonce = sealed.subarray(0, nonceLength)
  const tag = sealed.subarray(nonceLength, nonceLength + tagLength)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(context))
    .setAuthTag(tag)
  const text = sealed.subarray(nonceLength + tagLength)
  return Buffer.concat([decipher.update(text), decipher.final()])
}
