import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyId, type Manifest, readManifest, signManifest } from '../../src/install/manifest.ts'
import { readTrusted } from '../../src/install/trusted-keys.ts'
import { compare, validateManifest } from '../../src/install/update/validate.ts'
import { archiveOf, manifestOf } from '../../src/install/update/source.ts'
import { compareVersions, newestOf } from '../../src/model/server/versions.ts'

const manifest: Manifest = {
  version: '1.2.0',
  architecture: 'x64',
  archive: 'panel-1.2.0-linux-x64.tar.xz',
  sha256: 'a'.repeat(64),
  size: 42,
  follows: '1.1.0',
  isReadableByPrevious: true,
  expiresAt: '2030-01-01T00:00:00.000Z',
  notes: '',
}
const installed = {
  version: '1.1.0',
  architecture: 'x64',
  highest: null,
  now: new Date('2029-12-31T23:59:59Z'),
}

t.test('versions are ordered by their numbers', async t => {
  t.ok(compareVersions('1.10.0', '1.9.9') > 0)
  t.ok(compareVersions('0.9.9', '1.0.0') < 0)
  t.equal(compareVersions('1.2.3', '1.2.3'), 0)
  t.equal(newestOf(['1.9.0', '1.10.0', '1.2.0']), '1.10.0')
})

t.test('a release that may follow is taken', async () => validateManifest(manifest, installed))

t.test('a check reports why a release cannot be installed', async t => {
  const seen = (other: Partial<Manifest> = {}) => compare({ ...manifest, ...other }, installed)
  t.match(seen(), { newest: '1.2.0', is_newer: true, problem: null })
  t.match(seen({ version: '1.1.0' }), { is_newer: false, problem: null })
  t.match(seen({ version: '1.0.0' }), { is_newer: false, problem: null })
  const expiresAt = '2029-12-31T23:59:58.000Z'
  t.match(seen({ expiresAt }), { is_newer: true, problem: /expired/ })
  t.match(seen({ version: '1.1.0', expiresAt }), { problem: /expired/ })
  t.match(seen({ follows: '1.1.5' }), { problem: /update to 1\.1\.5 first/ })
})

t.test('a release that may not follow is refused even with a valid signature', async t => {
  const refused = (words: RegExp, other: Partial<Manifest>, here: Partial<typeof installed> = {}) =>
    t.throws(() => validateManifest({ ...manifest, ...other }, { ...installed, ...here }), {
      code: 'invalid',
      message: words,
    })
  refused(/expired/, {}, { now: new Date('2030-01-01T00:00:00Z') })
  refused(/is for arm64, this server is x64/, { architecture: 'arm64' })
  refused(/1\.0\.9 is older than 1\.1\.0/, { version: '1.0.9' })
  refused(/can only follow 1\.1\.5 or newer/, { follows: '1.1.5' })
  refused(/already installed/, { version: '1.1.0' })
  refused(/a rollback would be impossible/, { isReadableByPrevious: false })
  const wasHere = { ...installed, highest: '1.3.0' }
  t.throws(
    () => validateManifest(manifest, wasHere),
    /older than 1\.3\.0, which was installed here/,
  )
  // An update that was rolled back may be attempted again.
  validateManifest(manifest, { ...installed, highest: '1.2.0' })
})

t.test('keys of the release and of the administrator are trusted, and no others', async t => {
  const [own, added, otherKeys] = [1, 2, 3].map(() => generateKeyPairSync('ed25519'))
  const folder = t.testdir()
  const folders = ['release', 'etc'].map(name => join(folder, name))
  for (const [index, pair] of [own!, added!].entries()) {
    mkdirSync(folders[index]!)
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' })
    writeFileSync(join(folders[index]!, `${keyId(pair.publicKey)}.pem`), pem)
  }
  const trusted = readTrusted([...folders, join(folder, 'none')])
  for (const pair of [own!, added!]) {
    t.strictSame(readManifest(signManifest(manifest, pair.privateKey), trusted), manifest)
  }
  const strange = signManifest(manifest, otherKeys!.privateKey)
  t.throws(() => readManifest(strange, trusted), /unknown key/)
})

t.test('a release is found by its archive, its manifest, or a place with many', async t => {
  const find = (given: string | undefined, to?: string) =>
    manifestOf({ given, to, updateUrl: 'https://updates.example/stable/' }, 'x64')
  t.equal(find(undefined), 'https://updates.example/stable/latest-linux-x64.json')
  t.equal(find(undefined, '1.2.0'), 'https://updates.example/stable/panel-1.2.0-linux-x64.json')
  t.equal(find('/root/panel-1.2.0-linux-x64.tar.xz'), '/root/panel-1.2.0-linux-x64.json')
  t.equal(find('https://a.example/x.json'), 'https://a.example/x.json')
  t.equal(archiveOf('https://a.example/b/x.json', 'x.tar.xz'), 'https://a.example/b/x.tar.xz')
  t.equal(archiveOf('/root/x.json', 'x.tar.xz'), '/root/x.tar.xz')
  const nowhere = { given: undefined, to: undefined, updateUrl: null }
  t.throws(() => manifestOf(nowhere, 'x64'), /No source for releases/)
})
