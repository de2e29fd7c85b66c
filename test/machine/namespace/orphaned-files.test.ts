import { existsSync, lchownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { orphanedFiles } from '../../../src/host/accounts/orphaned-files.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { alice, bob } from '../../support/host/sandbox.ts'
import { asUser, run } from '../machine.ts'

// A terminated account's leftovers in world-writable folders, however many and deep.

const machine = openMachine({ kind: 'linux', root: '/' })
const remove = () => orphanedFiles.remove!(machine, { ...alice, desired: 'terminated' })
const sessions = '/var/lib/php/sessions'
mkdirSync(sessions, { recursive: true })
await run('chmod', ['1733', sessions])

t.test('other work goes on while many sessions are removed', async t => {
  const max = 60_000
  for (let number = 0; number < max; number++) {
    const path = `${sessions}/sess_${number}`
    if (number % 100 === 0) symlinkSync('/etc/passwd', path)
    else writeFileSync(path, '')
    lchownSync(path, number % 3 === 0 ? bob.uid : alice.uid, alice.uid)
  }
  let [isDone, longestMs] = [false, 0]
  const watch = async () => {
    for (let before = performance.now(); !isDone; before = performance.now()) {
      await setImmediate()
      longestMs = Math.max(longestMs, performance.now() - before)
    }
  }
  const watching = watch()
  const begunAt = performance.now()
  await remove()
  isDone = true
  await watching
  const took = Math.round(performance.now() - begunAt)
  t.comment(`figure: ${took} ms, the longest turn ${Math.round(longestMs)} ms`)
  t.ok(longestMs < took / 4, `${longestMs} of ${took} ms`)
  t.equal(readdirSync(sessions).length, max / 3, 'those of others stay')
  t.ok(existsSync('/etc/passwd'))
})

// Folders in one another, far longer than a path may be; the last one is closed.
const deep =
  'chdir $ARGV[0] or die; my $name = "x" x 200; ' +
  'for (1 .. 30) { mkdir $name; chdir $name or die } ' +
  'mkdir "shut"; mkdir "shut/in"; symlink "/etc", "link"; chmod 0, "shut" or die'

t.test('folders that are closed are opened, at whatever depth', async t => {
  const paths = ['/var/tmp/orphan', `${sessions}/orphan`]
  for (const folder of paths) {
    t.equal((await asUser(alice.uid, ['mkdir', folder])).code, 0)
    t.match(await asUser(alice.uid, ['perl', '-e', deep, folder]), { code: 0, stderr: '' })
    await asUser(alice.uid, ['chmod', '0', folder])
  }
  await remove()
  t.strictSame(
    paths.map(folder => existsSync(folder)),
    [false, false],
  )
  t.ok(existsSync('/etc/passwd'))
})
