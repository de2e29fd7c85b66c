import { createHmac, randomUUID } from 'node:crypto'
import { PanelError } from '../errors.ts'
import type { ClaimedRequest } from '../model/operations.ts'
import type { ApiRequest } from './request.ts'

/**
 * What identifies a write request: the caller's key, and a fingerprint by which another request
 * under the same key is recognised (api.md, Idempotency). It is keyed by the caller's token, so
 * that neither database nor server reveals a body. Without a key a request gets a random one.
 */
export function identify(request: ApiRequest): ClaimedRequest {
  return {
    tokenId: request.caller.tokenId,
    key: readKey(request),
    fingerprint: createHmac('sha256', request.token)
      .update(`${request.method}\n${request.target}\n`)
      .update(request.rawBody)
      .digest(),
  }
}

function readKey({ headers }: ApiRequest): string {
  const sent = headers['idempotency-key']
  if (sent === undefined) return `none:${randomUUID()}`
  const [key = ''] = sent
  if (sent.length > 1 || !/^[ -~]{1,255}$/.test(key)) {
    throw new PanelError(
      'invalid',
      'Idempotency-Key must be sent once, as 1 to 255 printable ASCII characters',
    )
  }
  return key
}
