import { createPublicKey, generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

// Every browser supports it, and handshakes are short.
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const days = 3_650
const dayMs = 86_400_000

/** Makes a self-signed certificate and its key, as one PEM text. */
export async function makeOwnCertificate(hostname: string, now: Date): Promise<string> {
  const x509 = await import('@peculiar/x509')
  const { privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: algorithm.namedCurve,
  })
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${hostname}`,
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    notBefore: new Date(now.getTime() - dayMs),
    notAfter: new Date(now.getTime() + days * dayMs),
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }]),
      new x509.BasicConstraintsExtension(false, undefined, true),
    ],
  })
  return `${certificate.toString('pem')}\n${privateKey.export({ type: 'pkcs8', format: 'pem' })}`
}
