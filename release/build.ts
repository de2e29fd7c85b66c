import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { installationDir, version } from '../src/config.ts'
import { run } from '../src/host/tools/run.ts'
import { keyId, signManifest } from '../src/install/manifest.ts'
import type { Release } from '../src/install/release.ts'
import { latestName } from '../src/install/update/source.ts'
import { describeCommit } from './commit.ts'
import { layOut } from './contents.ts'

// `npm run release`: builds the archive that `panel install` runs from, and its signed manifest.
// The same commit always gives the same bytes.

const { values } = parseArgs({
  options: {
    /** x64 or arm64; the Node of the other one is downloaded. */
    arch: { type: 'string', default: process.arch },
    /** The Ed25519 key that signs, as PEM. Without it there is an archive and no manifest. */
    key: { type: 'string' },
    /** Public keys, as PEM, that an installation trusts in addition to the signing key. */
    trust: { type: 'string', multiple: true, default: [] },
    /** The oldest version that can update to this one; for the first release its own. */
    follows: { type: 'string' },
    /** The previous release cannot work on this schema. */
    breaking: { type: 'boolean', default: false },
    /** Packs a checkout that differs from its commit, and marks the release. */
    dirty: { type: 'boolean', default: false },
    /** Days after its commit during which it may be installed. */
    days: { type: 'string', default: '365' },
    notes: { type: 'string', default: '' },
    output: { type: 'string', default: join(installationDir, 'dist') },
    /** The compression level of xz, 0 to 9. */
    effort: { type: 'string', default: '6' },
  },
})

if (values.key !== undefined) requireFollows(values.follows)
const root = installationDir
const release = await describeRelease()
const name = `panel-${version}`
const archive = `${name}-linux-${release.architecture}.tar.xz`
const output = resolve(values.output)
await mkdir(output, { recursive: true })
await pack()
await signIfAsked()

// Only the person who builds the release knows. Its own version would allow no update.
function requireFollows(follows: string | undefined): void {
  if (follows !== undefined && /^[0-9]+\.[0-9]+\.[0-9]+$/.test(follows)) return
  const words = `--key needs --follows VERSION, the oldest version that can update to ${version}`
  process.stderr.write(`${words}; the first release follows itself\n`)
  process.exit(2)
}

async function describeRelease(): Promise<Release> {
  if (values.arch !== 'x64' && values.arch !== 'arm64')
    throw new Error('--arch must be x64 or arm64')
  try {
    const described = await describeCommit(root, values.dirty)
    return { version, architecture: values.arch, ...described }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(1)
  }
}

async function pack(): Promise<void> {
  // Next to the archive, so that the size of /tmp does not matter.
  const scratch = await mkdtemp(join(output, '.release-'))
  try {
    await mkdir(join(scratch, name))
    await layOut(root, join(scratch, name), release, scratch)
    await addKeys(join(scratch, name, 'update-keys'))
    await run(
      'tar',
      [
        ...['--create', '--file', join(output, archive), '--directory', scratch],
        ...['--sort=name', `--mtime=${release.builtAt}`, '--mode=u=rwX,go=rX', '--format=gnu'],
        ...['--owner=0', '--group=0', '--numeric-owner'],
        // Blocks of a fixed size: the bytes do not depend on the number of processors.
        ...['--use-compress-program', `xz -${values.effort} -T2 --block-size=32MiB`, name],
      ],
      { timeoutMs: 900_000 },
    )
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  process.stdout.write(`${join(output, archive)}\n`)
}

// Adds the keys whose manifests an installation trusts, at first the one that signs this release.
async function addKeys(folder: string): Promise<void> {
  const files = [...(values.key === undefined ? [] : [values.key]), ...values.trust]
  await mkdir(folder)
  for (const file of files) {
    const key = createPublicKey(await readFile(file))
    const pem = key.export({ type: 'spki', format: 'pem' })
    await writeFile(join(folder, `${keyId(key)}.pem`), pem)
  }
}

async function signIfAsked(): Promise<void> {
  if (values.key === undefined) {
    process.stderr.write('not signed: no manifest without --key FILE\n')
    return
  }
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(output, archive)), hash)
  const expires = Date.parse(release.builtAt) + Number(values.days) * 86_400_000
  const manifest = signManifest(
    {
      version,
      architecture: release.architecture,
      archive,
      sha256: hash.digest('hex'),
      size: (await stat(join(output, archive))).size,
      follows: values.follows ?? version,
      isReadableByPrevious: !values.breaking,
      expiresAt: new Date(expires).toISOString(),
      notes: values.notes,
    },
    createPrivateKey(await readFile(values.key)),
  )
  const file = archive.replace(/\.tar\.xz$/, '.json')
  await writeFile(join(output, file), manifest)
  // The file in which an installation looks for the newest release, once all of it is published.
  await writeFile(join(output, latestName(release.architecture)), manifest)
  process.stdout.write(`${join(output, file)}\n`)
}
