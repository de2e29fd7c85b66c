import { generateKeyPairSync, randomUUID } from 'node:crypto'
import t from 'tap'
import { whyNoSelfLicense } from '../../src/install/self-license.ts'
import { parseKey, parseLicense, signLicense, whyInvalid } from '../../src/model/license.ts'

t.test('a license that is signed is one that is taken', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = parseKey(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'))
  const [serverId, expiresAt] = [randomUUID(), new Date(Date.now() + 1_000)]
  const license = { plan: 'own', maxAccounts: 10_000, serverId, expiresAt }
  const read = parseLicense(signLicense(license, privateKey), key)
  t.strictSame(read, license)
  t.equal(whyInvalid(read, serverId, new Date()), undefined)
  const other = generateKeyPairSync('ed25519').privateKey
  t.throws(() => parseLicense(signLicense(license, other), key), /not signed by the vendor/)
})

t.test('who has a vendor, or a license, signs none', async t => {
  t.equal(whyNoSelfLicense({}, false), undefined)
  t.match(whyNoSelfLicense({}, true), /installed already/)
  t.match(whyNoSelfLicense({ PANEL_LICENSE_KEY: 'x' }, false), /names a vendor/)
})
