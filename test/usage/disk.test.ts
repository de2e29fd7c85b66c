import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Machine } from '../../src/host/contract.ts'
import { linuxFiles } from '../../src/host/accounts/linux-files.ts'
import { linuxQuota, parseUse } from '../../src/host/accounts/linux-quota.ts'
import { measureDisk } from '../../src/host/usage/disk.ts'
import { alice, bob, sandbox, straight } from '../support/host/sandbox.ts'
import { apply } from '../../src/host/apply.ts'
import { openUsage } from '../support/usage/usage.ts'

const users = [alice, bob].map(({ id, uid, username }) => ({ id, uid, username }))

/** The measured accounts, and the number of batches. */
async function measure(machine: Machine, of = users) {
  const pieces = await Array.fromAsync(measureDisk(machine, of))
  const bytes = Object.fromEntries(pieces.flat().map(use => [use.id, use.bytes]))
  return { pieces: pieces.length, bytes }
}

t.test('on the sandbox the real files are counted', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const home = machine.path('/home/alice')
  const before = (await measure(machine)).bytes['1']!
  writeFileSync(join(home, 'files/big'), Buffer.alloc(3_000_000, 'x'))
  mkdirSync(join(home, 'files/more'))
  linkSync(join(home, 'files/big'), join(home, 'files/more/again'))
  symlinkSync('/', join(home, 'files/more/outside'))
  const { bytes } = await measure(machine)
  t.ok(bytes['1']! - before >= 3_000_000 && bytes['1']! - before < 3_100_000, `${bytes['1']}`)
  t.equal(bytes['2'], 0, 'a home that is not there takes nothing')

  const du = execFileSync('du', ['-s', '--block-size=1', home], { encoding: 'utf8' })
  t.equal(bytes['1'], Number(du.split('\t')[0]), 'as du counts them')
})

t.test('where there is a quota, one report contains everything', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  const linux = onLinux(machine)
  standIn('repquota', `printf '${report}'`)
  t.strictSame(await measure(linux), { pieces: 1, bytes: { 1: 2_048_000, 2: 0 } })
  t.match(calls(), [/^repquota -u -n \//])

  const many = Array.from({ length: 2_500 }, (_, index) => ({
    id: String(index + 1),
    uid: 20_001 + index,
    username: `user${index}`,
  }))
  const other = '#29999     --    2000    2048    2048             9  9999  9999'
  const lines = `yes '${other}' | head -20000`
  standIn('repquota', `${lines}; printf '${report}'`)
  const { pieces, bytes } = await measure(linux, many)
  t.equal(pieces, 3)
  t.equal(bytes['1'], 2_048_000, 'a report of any length is read whole')
})

// The machine's own tools, of which stand-ins are asked.
const onLinux = (machine: Machine): Machine => ({
  ...machine,
  path: path => path,
  files: linuxFiles(machine.run),
  quota: linuxQuota(machine.run),
})

const report = `*** Report for user quotas on device /dev/vda1
Block grace time: 7days; Inode grace time: 7days
                        Block limits                File limits
User            used    soft    hard  grace    used  soft  hard  grace
----------------------------------------------------------------------
#0        --      20       0       0              2     0     0
#20001    +-    2000    1024    1024  6days       9  9999  9999
#20003    --    7777    8888    8888              9  9999  9999
`

t.test('a report is read by number and sign', async t => {
  t.strictSame(
    [...parseUse(report.replaceAll('%', '%%'))],
    [
      [0, 20_480],
      [20_001, 2_048_000],
      [20_003, 7_963_648],
    ],
  )
  t.equal(parseUse('nothing of the kind').size, 0)
})

t.test('without a quota each user counts its own files', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  const linux = onLinux(machine)
  standIn('repquota', 'echo repquota: / has no quota enabled >&2; exit 1')
  // A file of bob's goes while it is counted; carol's count is killed with her processes.
  standIn(
    'du',
    `printf '4096\\t/x\\n8192\\ttotal\\n'
     case "$*" in *bob*) exit 1;; *carol*) kill -9 $$;; esac`,
  )
  const carol = { id: '3', uid: 20_003, username: 'carol' }
  const { bytes } = await measure(linux, [...users, carol])
  t.strictSame(bytes, { 1: 8192, 2: 8192 })
  t.ok(
    calls().includes(
      'du -s -c -x --block-size=1 -- ' +
        '/home/alice/sites /home/alice/files /home/alice/tmp /home/alice/logs',
    ),
  )
})

t.test('the job stores what was measured, and passes over what it must not touch', async t => {
  const { panel, turn } = await openUsage(t)
  const { pool, root } = panel
  await panel.call('POST', '/api/v1/accounts/bob/suspend')
  writeFileSync(join(root, 'home/bob/files/big'), Buffer.alloc(2_000_000, 'x'))
  await turn('usage/disk')
  const measured = async () =>
    (
      await pool.query<{ username: string; mb: number; age: number }>(
        `select a.username, round(u.bytes / 1e6)::int as mb,
           extract(epoch from now() - u.measured_at)::int as age
         from panel.disk_usage u join panel.accounts a on a.id = u.account_id order by 1`,
      )
    ).rows
  t.strictSame(await measured(), [
    { username: 'alice', mb: 0, age: 0 },
    { username: 'bob', mb: 2, age: 0 },
  ])

  const months = async () =>
    (
      await pool.query<{ username: string; mb: number; isThis: boolean }>(
        `select a.username, round(m.bytes / 1e6)::int as mb,
           m.month = date_trunc('month', now() at time zone 'UTC') as "isThis"
         from panel.disk_months m join panel.accounts a on a.id = m.account_id
         where a.username = 'bob' order by m.month`,
      )
    ).rows
  await pool.query(`update panel.disk_months set month = month - interval '1 month'`)
  await turn('usage/disk')
  t.strictSame(
    await months(),
    [
      { username: 'bob', mb: 2, isThis: false },
      { username: 'bob', mb: 2, isThis: true },
    ],
    'each month keeps what was measured last in it',
  )

  rmSync(join(root, 'home/bob/files/big'))
  await pool.query('alter table panel.accounts drop constraint accounts_check')
  await pool.query(`update panel.accounts set username = '../../etc' where username = 'alice'`)
  await pool.query(`update panel.disk_usage set measured_at = now() - interval '60 seconds'`)
  await turn('usage/disk')
  t.match(await measured(), [
    { username: '../../etc', age: 60 },
    { username: 'bob', mb: 0, age: 0 },
  ])
})
