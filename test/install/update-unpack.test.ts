import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Headers, pack } from 'tar-stream'
import t, { type Test } from 'tap'
import { run } from '../../src/host/tools/run.ts'
import { unpack } from '../../src/install/update/unpack.ts'

const desired = { version: '1.2.0', architecture: 'x64' } as const
const release = JSON.stringify({ ...desired, commit: 'abc', builtAt: '2026-01-01T00:00:00Z' })

type Part = { name: string; text?: string } & Partial<Headers>

const whole: Part[] = [
  { name: 'panel-1.2.0/', type: 'directory' },
  { name: 'panel-1.2.0/release.json', text: release },
  { name: 'panel-1.2.0/bin/panel', text: '#!/bin/sh\n', mode: 0o4777 },
  { name: 'panel-1.2.0/node', type: 'symlink', linkname: 'bin/panel' },
  { name: 'panel-1.2.0/lib/up', type: 'symlink', linkname: '../bin/panel' },
]

t.test('a release is unpacked next to the others, with plain modes', async t => {
  const { archive, releases } = await staged(t, whole)
  await unpack(archive, releases, desired)
  const folder = join(releases, '1.2.0')
  t.equal(readFileSync(join(folder, 'release.json'), 'utf8'), release)
  t.equal(statSync(join(folder, 'bin/panel')).mode & 0o7777, 0o755)
  t.equal(statSync(join(folder, 'release.json')).mode & 0o7777, 0o644)
  t.equal(readlinkSync(join(folder, 'node')), 'bin/panel')
  // The rest of an earlier attempt is no hindrance.
  writeFileSync(join(folder, 'orphan'), '')
  await unpack(archive, releases, desired)
  t.strictSame(readdirSync(releases), ['1.2.0'])
  t.notOk(readdirSync(folder).includes('orphan'))
})

const escapes: Record<string, Part[]> = {
  'names ../evil': [{ name: '../evil', text: 'x' }],
  'names panel-1.2.0/../evil': [{ name: 'panel-1.2.0/../evil', text: 'x' }],
  'names /tmp/evil': [{ name: '/tmp/evil', text: 'x' }],
  'names other/file': [{ name: 'other/file', text: 'x' }],
  'names panel-1.2.0//x': [{ name: 'panel-1.2.0//x', text: 'x' }],
  'out leads to ../../evil': [
    { name: 'panel-1.2.0/out', type: 'symlink', linkname: '../../evil' },
    { name: 'panel-1.2.0/out/file', text: 'x' },
  ],
  'out leads to /etc': [{ name: 'panel-1.2.0/out', type: 'symlink', linkname: '/etc' }],
  'back leads to bin/../../evil': [
    { name: 'panel-1.2.0/back', type: 'symlink', linkname: 'bin/../../evil' },
  ],
  'back leads to a/../b': [{ name: 'panel-1.2.0/back', type: 'symlink', linkname: 'a/../b' }],
  'x is a link': [{ name: 'panel-1.2.0/x', type: 'link', linkname: 'panel-1.2.0/release.json' }],
  'x is a character-device': [{ name: 'panel-1.2.0/x', type: 'character-device' }],
  'x is a fifo': [{ name: 'panel-1.2.0/x', type: 'fifo' }],
}

for (const [words, parts] of Object.entries(escapes)) {
  t.test(`an archive is refused where it ${words}`, async t => {
    const { archive, releases, folder } = await staged(t, [...whole.slice(0, 3), ...parts])
    await t.rejects(unpack(archive, releases, desired), { code: 'invalid', message: words })
    t.strictSame(readdirSync(releases), [], 'nothing is left of it')
    t.notOk(readdirSync(folder).includes('evil'))
  })
}

t.test('nothing is written through a link, whatever their order', async t => {
  const parts: Part[] = [
    ...whole.slice(0, 3),
    { name: 'panel-1.2.0/inner', type: 'symlink', linkname: 'bin' },
    { name: 'panel-1.2.0/inner/panel', text: 'through' },
  ]
  const { archive, releases } = await staged(t, parts)
  // The folder is made first, so the link finds its place taken.
  await t.rejects(unpack(archive, releases, desired), { code: 'invalid' })
  t.strictSame(readdirSync(releases), [])
  const links: Part[] = [
    ...whole.slice(0, 3),
    { name: 'panel-1.2.0/a/b/up', type: 'symlink', linkname: '../..' },
    { name: 'panel-1.2.0/a/b/up/out', type: 'symlink', linkname: '../../evil' },
  ]
  const other = await staged(t, links)
  await t.rejects(unpack(other.archive, other.releases, desired), { code: 'invalid' })
})

t.test('a file that comes twice is refused, and so is a damaged archive', async t => {
  const twice = await staged(t, [...whole, whole[1]!])
  await t.rejects(unpack(twice.archive, twice.releases, desired), /damaged: download it again/)
  const cut = await staged(t, whole)
  const bytes = readFileSync(cut.archive)
  writeFileSync(cut.archive, bytes.subarray(0, bytes.length - 20))
  await t.rejects(unpack(cut.archive, cut.releases, desired), /damaged: download it again/)
  t.strictSame(readdirSync(cut.releases), [])
})

t.test('an archive of another release than its manifest says is refused', async t => {
  const other = release.replace('1.2.0', '1.1.0')
  const parts = whole.map(part => (part.text === release ? { ...part, text: other } : part))
  const { archive, releases } = await staged(t, parts)
  await t.rejects(unpack(archive, releases, desired), /a different release/)
  t.throws(() => lstatSync(join(releases, '1.2.0')))
})

async function staged(t: Test, parts: Part[]) {
  const folder = t.testdir({ releases: {} })
  const tar = pack()
  for (const { name, text = '', ...headers } of parts) tar.entry({ name, ...headers }, text)
  tar.finalize()
  const path = join(folder, 'archive.tar')
  writeFileSync(path, await buffer(tar))
  await run('xz', ['-0', '--', path])
  return { folder, archive: `${path}.xz`, releases: join(folder, 'releases') }
}
