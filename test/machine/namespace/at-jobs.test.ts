import {
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { cron } from '../../../src/host/access/cron.ts'
import { inShort } from '../../../src/host/tools/file-drift.ts'
import { listDrift, takeSnapshot } from '../../../src/host/drift.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import { sftpGroup } from '../../../src/host/access/sftp.ts'
import { alice, bob } from '../../support/host/sandbox.ts'
import { jobs, makeAtFolders, outputs, plantJob } from '../fixtures/at-jobs.ts'
import { run } from '../machine.ts'

// Jobs of `at`, in the folders of its daemon, where users can make nothing but jobs.

const machine = openMachine({ kind: 'linux', root: '/' })
await prepare(machine)
for (const account of [alice, bob]) await machine.users.ensure(account, sftpGroup)
const suspended = { ...alice, desired: 'suspended' as const }
const seen = async (account: typeof alice) =>
  listDrift((await takeSnapshot(machine)).driftOf(account))
    .map(inShort)
    .filter(sentence => sentence.startsWith('at jobs'))

const [first, second, bobs] = ['a0000101c3b2a4', 'B0000201c3b2a5', 'a0000301c3b2a6']

t.test('a machine without the package is none the worse', async t => {
  rmSync(jobs, { recursive: true, force: true })
  rmSync(outputs, { recursive: true, force: true })
  for (const turn of [cron.suspend, cron.ensure, cron.remove]) await turn?.(machine, alice)
  t.notOk(existsSync(jobs))
  t.strictSame(await seen(alice), [])
})

t.test('jobs are put aside with the account, and come back as they were', async t => {
  makeAtFolders()
  plantJob(alice.uid, first)
  plantJob(alice.uid, second)
  plantJob(bob.uid, bobs)
  writeFileSync(`${jobs}/.SEQ`, '00003\n')
  const before = readdirSync(jobs)
  const text = readFileSync(`${jobs}/${first}`, 'utf8')
  t.strictSame(await seen(alice), [])
  t.strictSame(await seen(suspended), ['at jobs run'])
  for (const turn of ['once', 'again']) {
    await cron.suspend?.(machine, alice)
    const left = readdirSync(jobs).filter(name => !name.startsWith('.'))
    t.strictSame(left, [bobs], turn)
  }
  t.strictSame(await seen(suspended), [])
  t.strictSame(await seen(alice), ['at jobs are suspended'])
  t.strictSame(await seen(bob), [])
  for (const turn of ['once', 'again']) {
    await cron.ensure?.(machine, alice)
    t.strictSame(readdirSync(jobs).sort(), before.sort(), turn)
  }
  t.equal(readFileSync(`${jobs}/${first}`, 'utf8'), text)
  t.equal(statSync(`${jobs}/${first}`).mode & 0o7777, 0o700)
  t.strictSame(await seen(alice), [])
})

t.test('jobs of at go with a terminated account, whatever their state', async t => {
  await cron.suspend?.(machine, alice)
  plantJob(alice.uid, 'a0000401c3b2a7')
  plantJob(alice.uid, 'a0000501c3b2a8', { mode: 0o600 })
  plantJob(alice.uid, '=0000601c3b2a9')
  plantJob(alice.uid, '=0000601c3b2a9', { folder: outputs, mode: 0o600 })
  plantJob(bob.uid, bobs, { folder: outputs, mode: 0o600 })
  // Names that only the daemon could create: their targets stay.
  mkdirSync('/srv/kept')
  writeFileSync('/srv/kept/file', 'as it was')
  symlinkSync('/srv/kept/file', `${jobs}/a0000701c3b2aa`)
  symlinkSync('/srv/kept', `${outputs}/a0000701c3b2aa`)
  for (const folder of [jobs, outputs]) {
    lchownSync(`${folder}/a0000701c3b2aa`, alice.uid, alice.uid)
  }
  for (const turn of ['once', 'again']) {
    await cron.remove?.(machine, alice)
    const left = await run('find', [jobs, outputs, '-uid', String(alice.uid)])
    t.match(left, { code: 0, stdout: /^$/ }, turn)
  }
  t.equal(readFileSync('/srv/kept/file', 'utf8'), 'as it was')
  t.ok(existsSync(`${jobs}/${bobs}`))
  t.ok(existsSync(`${outputs}/${bobs}`))
  t.equal(readFileSync(`${jobs}/.SEQ`, 'utf8'), '00003\n')
})

t.test('jobs of a number that is another user’s stay', async t => {
  await cron.remove?.(machine, { ...alice, username: 'carol', uid: bob.uid })
  t.ok(existsSync(`${jobs}/${bobs}`))
})

t.test('many of them delay no other account', async t => {
  rmSync(`${jobs}/${bobs}`)
  const many = 20_000
  for (let index = 0; index < many; index++) {
    plantJob(alice.uid, `a${index.toString(16).padStart(5, '0')}01c3b2a4`)
  }
  const waiting = () => readdirSync(jobs).filter(name => !name.startsWith('.')).length
  let [turns, isOver] = [0, false]
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate()
  })()
  for (const [turn, left] of [
    ['suspend', 0],
    ['ensure', many],
    ['remove', 0],
  ] as const) {
    turns = 0
    await cron[turn]?.(machine, alice)
    t.ok(turns >= many / 500, `${turn}: ${turns} turns for others`)
    t.equal(waiting(), left, turn)
  }
  isOver = true
  await others
})
