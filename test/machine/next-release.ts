import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { keyId, type Manifest, signManifest } from '../../src/install/manifest.ts'
import { must } from './debian-root.ts'

/** The signer of a test's releases. */
export const signer = generateKeyPairSync('ed25519')

/** The path of the key on a machine that trusts them. */
export const keyFile = `etc/panel/update-keys/${keyId(signer.publicKey)}.pem`
export const keyText = (): string =>
  String(signer.publicKey.export({ type: 'spki', format: 'pem' }))

/** A migration that only adds, as that of a next version does. */
export const nextMigration = `
create table panel.next_things (id bigint generated always as identity primary key, name text);
alter table panel.accounts add column next_thing text;
grant select on panel.next_things to panel_api;
`

/** The version of all that a test updates to. */
const version = '0.2.0'
const name = `panel-${version}`

// The differences between releases; all else is packed once.
const changing = [
  ...['package.json', 'release.json', 'bin/panel-api.ts', 'bin/panel-worker.ts'],
  'tasks/server/check.ts',
]

/**
 * Makes next versions of an unpacked release: the same tree with one more migration, and with other
 * files where they are given. Each returns the manifest's path; the archive is next to it.
 */
export async function openNext(from: string, folder: string) {
  mkdirSync(folder, { recursive: true })
  const common = join(folder, 'common')
  const renamed = ['--transform', `s,^\\.,${name},`]
  const owned = ['--owner=0', '--group=0', '--blocking-factor=1', '--format=gnu']
  const without = changing.map(path => `--exclude=./${path}`)
  await must('tar', ['-cf', common, '-C', from, ...renamed, ...owned, ...without, '.'])
  // Without the two empty blocks that end it, and xz reads one file behind another.
  truncateSync(common, statSync(common).size - 1_024)
  await must('xz', ['-0', '-T2', '--', common])
  const read = (path: string) => readFileSync(join(from, path), 'utf8')
  const unchanged = Object.fromEntries(changing.map(path => [path, read(path)]))

  return async (files: Record<string, string> = {}, manifest: Partial<Manifest> = {}) => {
    const tar = pack()
    const all = {
      ...unchanged,
      'package.json': withVersion(read('package.json')),
      'release.json': withVersion(read('release.json')),
      'sql/migrations/9000-next.sql': nextMigration,
      ...files,
    }
    for (const [path, text] of Object.entries(all)) tar.entry({ name: `${name}/${path}` }, text)
    tar.finalize()
    const rest = join(folder, 'rest')
    writeFileSync(rest, await buffer(tar))
    await must('xz', ['-0', '--force', '--', rest])
    const bytes = Buffer.concat([readFileSync(`${common}.xz`), readFileSync(`${rest}.xz`)])
    const archive = `${name}-linux-${process.arch}.tar.xz`
    writeFileSync(join(folder, archive), bytes)
    const described: Manifest = {
      ...{ version, archive, size: bytes.length },
      architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      follows: '0.1.0',
      isReadableByPrevious: true,
      expiresAt: '2099-01-01T00:00:00.000Z',
      notes: 'Made by a test.',
      ...manifest,
    }
    const path = join(folder, archive.replace(/\.tar\.xz$/, '.json'))
    writeFileSync(path, signManifest(described, signer.privateKey))
    return path
  }
}

const withVersion = (text: string): string =>
  `${JSON.stringify({ ...(JSON.parse(text) as object), version }, null, 2)}\n`
