import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

// A certificate authority of the test's own, which signs every request.

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000

export const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/** The private key as PEM. */
export async function toPem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey))
  const lines = key.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n')
}

export type SignOptions = {
  names: string[]
  fromDay?: number
  toDay?: number
  isCa?: boolean
  /** Whether it names the key of the authority, as those of public authorities do. */
  namesKey?: boolean
}

export type Authority = {
  /** The authority itself, as PEM. */
  certificate: string
  /** A certificate for a key as PEM, and the authority's behind it. */
  sign: (publicKey: webcrypto.CryptoKey, options: SignOptions) => Promise<string>
  /** The same for a request (PEM). */
  signRequest: (request: string, options?: Partial<SignOptions>) => Promise<string>
}

export async function makeAuthority(issuer = 'O=Test Authority, CN=T1'): Promise<Authority> {
  const keys = await makeKeys()
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    name: issuer,
    keys,
    notBefore: new Date(Date.now() - 400 * dayMs),
    notAfter: new Date(Date.now() + 400 * dayMs),
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  const sign: Authority['sign'] = async (publicKey, options) => {
    const { names, fromDay = -1, toDay = 89, isCa = false, namesKey = false } = options
    const certificate = await x509.X509CertificateGenerator.create({
      issuer: own.subject,
      publicKey,
      signingKey: keys.privateKey,
      notBefore: new Date(Date.now() + fromDay * dayMs),
      notAfter: new Date(Date.now() + toDay * dayMs),
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(isCa),
        new x509.SubjectAlternativeNameExtension(names.map(value => ({ type: 'dns', value }))),
        ...(namesKey ? [await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey)] : []),
      ],
    })
    return `${certificate.toString('pem')}\n${own.toString('pem')}\n`
  }
  return {
    certificate: own.toString('pem'),
    sign,
    async signRequest(request, options = {}) {
      const asked = new x509.Pkcs10CertificateRequest(request)
      if (!(await asked.verify())) throw new Error('The request is not signed by its own key')
      const found = asked.extensions.find(
        one => one instanceof x509.SubjectAlternativeNameExtension,
      )
      const names = found?.names.items.map(({ value }) => value) ?? []
      return sign(await asked.publicKey.export(), { names, ...options })
    },
  }
}
