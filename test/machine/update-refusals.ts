import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Manifest, signManifest } from '../../src/install/manifest.ts'
import { installedVersion, type Panel, showNothingLeft } from './updated.ts'

// Updates that are refused before anything is changed, by the installed command.

type Refused = {
  words: RegExp
  files?: Record<string, string>
  manifest?: Partial<Manifest>
  /** Damages the manifest, or the archive, before the command reads it. */
  spoil?: (manifest: string) => void
}

const strange = generateKeyPairSync('ed25519')

const refused: Record<string, Refused> = {
  'has expired': { words: /expired/, manifest: { expiresAt: '2020-01-01T00:00:00.000Z' } },
  'is older': { words: /0\.0\.9 is older than 0\.1\.0/, manifest: { version: '0.0.9' } },
  'is for another processor': {
    words: /is for arm64, this server is x64|is for x64, this server is arm64/,
    manifest: { architecture: process.arch === 'arm64' ? 'x64' : 'arm64' },
  },
  'follows one that is not here': {
    words: /can only follow 0\.1\.5/,
    manifest: { follows: '0.1.5' },
  },
  'another vendor has signed': {
    words: /signed with an unknown key/,
    spoil: path => writeFileSync(path, signManifest(payloadOf(path), strange.privateKey)),
  },
  'was changed after it was signed': {
    words: /changed after it was signed/,
    spoil(path) {
      const payload = JSON.stringify({ ...payloadOf(path), notes: 'Other.' })
      const file = JSON.parse(readFileSync(path, 'utf8')) as object
      const changed = { ...file, payload: Buffer.from(payload).toString('base64url') }
      writeFileSync(path, JSON.stringify(changed))
    },
  },
  'is one bit off': {
    words: /does not match its manifest/,
    spoil(path) {
      const archive = path.replace(/\.json$/, '.tar.xz')
      const bytes = readFileSync(archive)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(archive, bytes)
    },
  },
  'leads out of its folder': { words: /\.\.\/escaped/, files: { '../../../../escaped': 'out' } },
}

const payloadOf = (path: string): Manifest => {
  const { payload } = JSON.parse(readFileSync(path, 'utf8')) as { payload: string }
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Manifest
}

/** Each says why, and leaves everything as it is. */
export async function showRefusals(t: Test, panel: Panel): Promise<void> {
  const { machine, make } = panel
  const releases = () => machine.must('ls', '-A', '/opt/panel', '/opt/panel/releases')
  const before = await releases()
  for (const [what, { words, files, manifest, spoil }] of Object.entries(refused)) {
    const path = await make(files, manifest)
    spoil?.(join(machine.root, path))
    const { code, stderr } = await machine.run(['panel', 'update', '--yes', path])
    t.equal(code, 1, what)
    t.match(stderr, words, what)
    t.equal(await installedVersion(panel), '0.1.0', what)
    t.equal(await releases(), before, what)
  }
  await showNothingLeft(t, panel)
  for (const folder of ['opt/panel', 'opt', '.', 'var/lib/panel']) {
    t.notOk(existsSync(join(machine.root, folder, 'escaped')), folder)
  }
}
