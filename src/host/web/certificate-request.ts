import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'

/** A new private key, and a request signed with it, both as PEM. */
export type KeyAndRequest = { key: string; request: string }

// Every browser supports it and handshakes are short; nginx needs only one kind of key.
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Makes a certificate request for these names, with a new key unless one is given (PEM). */
export async function makeRequest(
  names: readonly string[],
  known: string | undefined,
): Promise<KeyAndRequest> {
  // Imported on first use: it takes longer to load than a worker takes to start.
  const x509 = await import('@peculiar/x509')
  const { namedCurve } = algorithm
  const privateKey =
    known === undefined
      ? (await promisify(generateKeyPair)('ec', { namedCurve })).privateKey
      : createPrivateKey(known)
  const keys = {
    privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
    publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
  }
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: algorithm,
    // Authorities read the names only here (CA/Browser Forum, 7.1.2.7).
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: 'dns', value }))),
    ],
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return { key: key.toString(), request: request.toString('pem') }
}
