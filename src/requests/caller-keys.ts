import { createHmac } from 'node:crypto'
import * as sealing from '../model/server/sealing.ts'

/** What follows from a caller's secret: its token, its session's cookie, or the server's key. */
export type CallerKeys = {
  /**
   * By what another request under the same Idempotency-Key is recognised. It is keyed, so that
   * neither database nor server reveals what was asked.
   */
  fingerprint: (...parts: (string | Buffer)[]) => Buffer
  /** Encrypts a recorded answer that holds a secret: only this caller's repeat can read it. */
  seal: (body: Buffer) => Buffer
  /** @throws if it was sealed for another caller, or changed */
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
