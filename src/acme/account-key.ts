import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { AcmeAccount } from '../model/certificates/authority.ts'
import { keyFor, seal, unseal } from '../model/server/sealing.ts'

// The private key of the server's account at the authority. It is stored encrypted, and in clear
// only in the courier's memory: with it one can order and revoke, but read no website's traffic.

const purpose = 'panel: the account at the certificate authority'

/** A new key, encrypted for the database. */
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

/** Returns the key's identity (RFC 7638): a hash of its required members, sorted by name. */
function thumbprintOf(pem: string): string {
  const { crv, kty, x, y } = createPublicKey(pem).export({ format: 'jwk' })
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}
