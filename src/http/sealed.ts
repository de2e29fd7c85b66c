import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// A recorded answer that holds a secret is encrypted under a key that follows from the caller's
// token, which the server does not keep: only that caller's repeat can read it (api.md, Secrets).

const algorithm = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

const keyOf = (token: string): Buffer =>
  Buffer.from(hkdfSync('sha256', token, '', 'panel: a recorded answer', 32))

/** AES-256-GCM under a random nonce: nonce, tag, text. */
export function seal(body: Buffer, token: string): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv(algorithm, keyOf(token), nonce)
  const text = Buffer.concat([cipher.update(body), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** @throws if it was sealed for another token, or changed */
export function unseal(sealed: Buffer, token: string): Buffer {
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv(algorithm, keyOf(token), nonce)
  decipher.setAuthTag(sealed.subarray(nonceLength, nonceLength + tagLength))
  return Buffer.concat([
    decipher.update(sealed.subarray(nonceLength + tagLength)),
    decipher.final(),
  ])
}
