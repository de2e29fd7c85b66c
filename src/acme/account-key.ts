import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { AcmeAccount } from '../model/authority.ts'
import { keyFor, seal, unseal } from '../model/sealing.ts'

// The private key of the server's account at the authority. It rests encrypted, and is in clear
// only in the courier's memory: with it one can order and revoke, but read no website's traffic.

const purpose = 'panel: the account at the certificate authority'

/** A new key, as it may be kept. */
export function newAccount(serverKey: Buffer): AcmeAccount {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return {
    key: seal(Buffer.from(pem), keyFor(purpose, serverKey)),
    thumbprint: thumbprintOf(pem.toString()),
  }
}

/** @throws if it was encrypted under another server's key */
export const openKey = (sealed: Buffer, serverKey: Buffer): Buffer =>
  unseal(sealed, keyFor(purpose, serverKey))

/** What identifies the key (RFC 7638): its required members, by name. */
function thumbprintOf(pem: string): string {
  const { crv, kty, x, y } = createPublicKey(pem).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}
