import { createHmac } from 'node:crypto'
import * as sealing from '../model/server/sealing.ts'

/** Keys derived from a caller's secret: its token, its session's cookie, or the server's key. */
export type CallerKeys = {
  /**
   * Identifies a request under an Idempotency-Key. It is keyed, so that neither database nor server
   * reveals the request.
   */
  fingerprint: (...parts: (string | Buffer)[]) => Buffer
  /** Encrypts a recorded answer that contains a secret: only this caller's repeat can read it. */
  seal: (body: Buffer) => Buffer
  /**
   * Decrypts a recorded answer.
   *
   * @throws if it was encrypted for another caller, or changed
   */
  unseal: (sealed: Buffer) => Buffer
}

export function keysOf(secret: string | Buffer): CallerKeys {
  const key = () => sealing.keyFor('panel: a recorded answer', secret)
  return {
    fingerprint: (...parts) => {
      const hmac = createHmac('sha256', secret)
      for (const part of parts) hmac.update(part)
      return hmac.digest()
    },
    seal: body => sealing.seal(body, key()),
    unseal: sealed => sealing.unseal(sealed, key()),
  }
}
