import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { keyId, type Manifest, readManifest, signManifest } from '../../src/install/manifest.ts'

const [vendor, otherKeys] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
const manifest: Manifest = {
  version: '1.2.3',
  architecture: 'x64',
  archive: 'panel-1.2.3-linux-x64.tar.xz',
  sha256: 'a'.repeat(64),
  size: 42,
  follows: '1.1.0',
  isReadableByPrevious: true,
  expiresAt: '2099-01-01T00:00:00.000Z',
  notes: 'Better.',
}
const text = signManifest(manifest, vendor.privateKey)

t.test('a manifest is read back by any holder of a trusted key', async t => {
  t.strictSame(readManifest(text, [otherKeys.publicKey, vendor.publicKey]), manifest)
  t.equal(keyId(vendor.privateKey), keyId(createPublicKey(vendor.privateKey)))
})

t.test('a manifest that an unknown key has signed, or that was changed, is refused', async t => {
  t.throws(
    () => readManifest(text, [otherKeys.publicKey]),
    /unknown key .*: first update to the release that introduces it/,
  )
  const file = JSON.parse(text) as { payload: string }
  const other = Buffer.from(file.payload, 'base64url').toString().replace('1.2.3', '1.2.4')
  const changed = { ...file, payload: Buffer.from(other).toString('base64url') }
  const read = (given: unknown) => () => readManifest(JSON.stringify(given), [vendor.publicKey])
  t.throws(read(changed), /changed after it was signed/)
  t.throws(read({ ...file, more: 1 }), /not a release manifest: download it/)
  t.throws(read('nothing'), { code: 'invalid' })
})
