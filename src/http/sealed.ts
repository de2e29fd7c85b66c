import * as sealing from '../model/sealing.ts'

// A recorded answer that holds a secret is encrypted under a key that follows from the caller's
// token, which the server does not keep: only that caller's repeat can read it (api.md, Secrets).

const keyOf = (token: string): Buffer => sealing.keyFor('panel: a recorded answer', token)

export const seal = (body: Buffer, token: string): Buffer => sealing.seal(body, keyOf(token))

/** @throws if it was sealed for another token, or changed */
export const unseal = (sealed: Buffer, token: string): Buffer =>
  sealing.unseal(sealed, keyOf(token))
