import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { packFolder, unpackFolder } from '../../src/host/tools/folder-archive.ts'

// The contents of a home reach no other account's backup.

const name = 'd'.repeat(250)

// Node can't remove what no path leads to.
function scratch(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'panel-nested-'))
  t.teardown(() => execFileSync('rm', ['-rf', '--', folder]))
  return folder
}

/** A home whose folders are nested so deep, each made from within the one around it. */
function nest(t: Test, levels: number): string {
  const folder = scratch(t)
  mkdirSync(join(folder, 'alice'))
  mkdirSync(join(folder, 'bob'))
  writeFileSync(join(folder, 'bob/letter'), 'dear')
  const back = process.cwd()
  process.chdir(join(folder, 'alice'))
  for (let level = 0; level < levels; level++) {
    mkdirSync(name)
    process.chdir(name)
  }
  writeFileSync('deepest', '')
  process.chdir(back)
  return folder
}

async function pack(folder: string, names: string[]) {
  const { content, warnings } = packFolder(folder, names)
  return { bytes: await buffer(content), warnings: await warnings }
}

async function unpack(t: Test, bytes: Buffer) {
  const folder = scratch(t)
  const { write, end } = unpackFolder(folder)
  await write(bytes)
  return { folder, warnings: await end() }
}

t.test('folders too deep for any path are left out, and named', async t => {
  const { bytes, warnings } = await pack(nest(t, 300), ['alice', 'bob'])
  t.strictSame(warnings, [{ code: 'nested_too_deep', path: `alice/${'d'.repeat(94)}` }])
  t.ok(bytes.length < 300_000, `not with the path of each: ${bytes.length} bytes`)
  const { folder, warnings: left } = await unpack(t, bytes)
  t.strictSame(left, [])
  t.equal(readFileSync(join(folder, 'bob/letter'), 'utf8'), 'dear')
})

t.test('an entry that cannot be made does not keep the rest from coming back', async t => {
  const folder = t.testdir({ bob: { letter: 'dear' } })
  // As it comes from a file system that takes longer names, or larger files.
  const renamed = ['--transform', `s,^bob/letter$,${'n'.repeat(300)}/letter,`, 'bob/letter', 'bob']
  const bytes = execFileSync('tar', ['-c', '-C', folder, '--format=posix', ...renamed])
  const { folder: made, warnings } = await unpack(t, bytes)
  t.match(warnings, [{ code: 'file_left_out', detail: /^tar: n+….*: File name too long$/ }])
  t.ok(warnings.every(warning => JSON.stringify(warning).length < 350))
  t.strictSame(execFileSync('ls', [made]).toString(), 'bob\n')
})

t.test('an archive that is damaged, or a full disk, is no matter of a file', async t => {
  const { bytes } = await pack(t.testdir({ bob: { letter: 'dear'.repeat(10_000) } }), ['bob'])
  await t.rejects(unpack(t, bytes.subarray(0, 8_192)), { message: /Unexpected EOF/ })
})

// Says that it has a lease on a file (F_SETLEASE, F_WRLCK), which who opens it waits for by itself.
const hold =
  '$SIG{IO} = "IGNORE"; open my $file, "+<", $ARGV[0] or die; ' +
  'fcntl $file, 1024, 1 or die "no lease: $!"; $| = 1; print "held"; <STDIN>'

t.test(
  'a lease on a file, which lasts 45 s, holds up neither tar nor what else it packs',
  async t => {
    const folder = t.testdir({ alice: { held: 'mine' }, bob: { letter: 'dear' } })
    const file = join(folder, 'alice/held')
    const holder = spawn('perl', ['-e', hold, file], { stdio: ['pipe', 'pipe', 'inherit'] })
    t.teardown(() => holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    const begunAt = performance.now()
    const { bytes, warnings } = await pack(folder, ['alice', 'bob'])
    const detail = /alice\/held: .*Cannot open: Resource temporarily unavailable/
    t.match(warnings, [{ code: 'file_left_out', detail }])
    const { folder: back } = await unpack(t, bytes)
    t.equal(readFileSync(join(back, 'bob/letter'), 'utf8'), 'dear')
    // Nor a tar that brings back what is there already.
    const { write, end } = unpackFolder(folder)
    await write(bytes)
    t.strictSame(await end(), [])
    t.ok(performance.now() - begunAt < 20_000, 'it did not wait')
  },
)
