import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import { listDrift, takeSnapshot } from '../../src/host/drift.ts'
import { sharedFile } from '../../src/host/web/nginx.ts'
import { rebuildOf } from '../../src/host/rebuild.ts'
import { comparisonOf } from '../../src/host/compared-start.ts'
import { sshdFile } from '../../src/host/access/sftp.ts'
import { sharedDrift } from '../../src/host/shared.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'
import type { Machine } from '../../src/host/contract.ts'
import { alice, bob, sandbox, startPhp, straight } from '../support/host/sandbox.ts'

// Rebuilds of many accounts: the drift of each, and what they share.

const many: HostAccount[] = Array.from({ length: 64 }, (_, index) => ({
  ...alice,
  id: String(100 + index),
  uid: 20_100 + index,
  username: `user${index}`,
  sites: [{ id: String(100 + index), domain: `d${index}.example` }],
}))
/** Rebuilds accounts side by side, as their operations do. */
async function rebuild(machine: Machine, accounts: HostAccount[]) {
  const host = rebuildOf(machine)
  return Promise.all(
    accounts.map(async account => {
      await host.ensureShared()
      const { differed, part } = await host.compare(account)
      const isDone = await apply(machine, account, straight, part).then(
        () => true,
        () => false,
      )
      return { isDone, differed, part }
    }),
  )
}

t.test('all that differs is seen, and nothing where the machine agrees', async t => {
  const { machine } = await sandbox(t)
  const look = async (account: HostAccount) => {
    const { driftOf } = await takeSnapshot(machine)
    return listDrift(driftOf(account)).map(inShort)
  }
  for (const account of [alice, { ...bob, desired: 'suspended' as const }]) {
    await apply(machine, account, straight)
    t.strictSame(await look(account), [])
  }
  const changed: [string, HostAccount][] = [
    ['the password differs', { ...alice, passwordHash: '$6$salt$other' }],
    ['the expiry differs', { ...bob, desired: 'active' }],
    ['the password differs', { ...alice, desired: 'suspended' }],
    [
      'the membership in panel-sftp differs',
      { ...alice, limits: { ...alice.limits, sftp: false } },
    ],
    ["the number 20002 is bob's", { ...alice, uid: 20_002 }],
    ['the user is missing', { ...alice, uid: 20_009, username: 'carol' }],
    ['PHP does not start with the server', { ...bob, desired: 'active' }],
    ['PHP starts with the server', { ...alice, desired: 'suspended' }],
    [
      'there is no folder /home/alice/sites/b.example',
      { ...alice, sites: [{ id: '9', domain: 'b.example' }] },
    ],
  ]
  for (const [sentence, account] of changed)
    t.ok((await look(account)).includes(sentence), sentence)
  const { limits } = alice
  t.strictSame(await look({ ...alice, limits: { ...limits, cpuPercent: 51 } }), [
    'the limits differ',
  ])
  const larger = { ...alice, limits: { ...limits, diskMb: 101 } }
  t.strictSame(await look(larger), ['the disk limit differs'])
  chmodSync(machine.path('/home/alice'), 0o755)
  chmodSync(machine.path('/home/alice/tmp'), 0o777)
  const modes = ['/home/alice', '/home/alice/tmp'].map(path => `the mode of ${path} differs`)
  t.strictSame(await look(alice), modes)
})

t.test('shell and home in the user database are put right, and the rest is left', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const [passwd, group] = ['passwd', 'group'].map(name => machine.path(`/etc/${name}`))
  const before = readFileSync(passwd!, 'utf8').replace('::/home', ':Alice:/home')
  writeFileSync(passwd!, before)
  const look = async () => listDrift((await takeSnapshot(machine)).driftOf(alice)).map(inShort)
  appendFileSync(group!, 'staff:x:50:alice\n')
  t.strictSame(await look(), [])
  for (const [from, to, sentence] of [
    ['/usr/sbin/nologin', '/bin/bash', 'the shell differs'],
    [':/home/alice:', ':/tmp:', 'the home in the user database differs'],
    [':20001:20001:', ':20001:100:', 'the primary group differs'],
  ] as const) {
    writeFileSync(passwd!, before.replace(from, to))
    t.strictSame(await look(), [sentence])
    const [rebuilt] = await rebuild(machine, [alice])
    t.strictSame(rebuilt, { isDone: true, differed: [sentence], part: undefined })
    t.equal(readFileSync(passwd!, 'utf8'), before)
    t.strictSame(await look(), [])
  }
  t.match(readFileSync(group!, 'utf8'), 'staff:x:50:alice\n')
})

t.test(
  'one website that cannot be made among many fails alone, and the others go live',
  async t => {
    const { machine } = await sandbox(t)
    for (const account of many) await apply(machine, account, straight)
    const names = machine.path('/var/lib/panel/web/names')
    for (const name of readdirSync(names)) rmSync(`${names}/${name}`)
    const certificate = machine.path(`/var/lib/panel/certificates/${many[41]!.sites[0]!.id}`)
    mkdirSync(certificate)
    symlinkSync('/etc/passwd', `${certificate}/served.pem`)
    const rebuilt = await rebuild(machine, many)
    const left = rebuilt.flatMap(({ isDone }, index) => (isDone ? [] : [index]))
    t.strictSame(left, [41])
    t.equal(readdirSync(names).length, 2 * 63)
  },
)

t.test('an unexpected file is reported of its account alone', async t => {
  const { machine } = await sandbox(t)
  for (const account of many) await apply(machine, account, straight)
  const at = (path: string) => machine.path(path)
  const certificate = at('/var/lib/panel/certificates/105')
  mkdirSync(certificate)
  symlinkSync('/etc/passwd', `${certificate}/served.pem`)
  const live = at('/var/lib/panel/web/live/0000000109')
  rmSync(live, { recursive: true })
  writeFileSync(live, '')
  mkdirSync(at('/run/panel/php/20113.unread'))
  const pools = ['/etc/panel/php/20113.conf', '/etc/panel/php/20120.conf'].map(at)
  for (const pool of pools) rmSync(pool)
  const { driftOf } = await takeSnapshot(machine)
  const seen = many.map(account => listDrift(driftOf(account)).map(inShort).join())
  t.match(seen[5], /^websites cannot be compared: ELOOP: .*\/served\.pem'$/)
  t.match(seen[9], /^websites cannot be compared: ENOTDIR: /)
  const others = seen.filter((_, index) => ![5, 9, 13, 20].includes(index))
  t.strictSame([...new Set(others)], [''])
  const rebuilt = await rebuild(machine, many)
  const left = rebuilt.flatMap(({ isDone }, index) => (isDone ? [] : [index]))
  // A file in the place of a folder is put aside.
  t.strictSame(left, [5, 13])
  t.strictSame(
    pools.map(pool => existsSync(pool)),
    [false, true],
  )
})

t.test('accounts whose PHP cannot start fail, whatever else is repaired', async t => {
  const { machine, standIn } = await sandbox(t)
  for (const account of many) await apply(machine, account, straight)
  const folder = machine.path('/etc/panel/php')
  for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`)
  standIn('php-fpm', 'exit 1')
  const refused = await rebuild(machine, many)
  t.ok(refused.every(({ isDone, part }) => !isDone && part?.join() === 'php'))
})

t.test('running PHP learns of larger packages, and sleeping PHP does not', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  for (const account of many) await apply(machine, account, straight)
  const [one, other] = many.slice(3, 5) as [HostAccount, HostAccount]
  for (const account of [one, other]) startPhp(machine, account)
  standIn('systemctl')
  const larger = many.map(account => ({
    ...account,
    limits: { ...account.limits, memoryMb: 1_024 },
  }))
  const [done] = await rebuild(machine, larger)
  t.match(done, { isDone: true, differed: ['the limits differ', /\.conf was different/] })
  t.strictSame(readdirSync(machine.path('/run/panel/php')), [])
  t.strictSame(
    calls()
      .filter(call => !/ (set-property|start) /.test(call))
      .sort(),
    [one, other].map(
      ({ uid }) => `systemctl kill --kill-whom=main --signal=SIGQUIT -- panel-php@${uid}.service`,
    ),
  )
})

t.test('a change of shared files is seen, and put right for all at once', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  await apply(machine, alice, straight)
  t.strictSame(sharedDrift(machine), [])
  const page = '/var/lib/panel/web/pages/503.html'
  const unit = '/etc/systemd/system/panel-php@.service'
  rmSync(machine.path(page))
  symlinkSync('/etc/passwd', machine.path(page))
  for (const path of [sharedFile, sshdFile, unit]) appendFileSync(machine.path(path), '# more\n')
  chmodSync(machine.path('/home/.trash'), 0o755)
  t.strictSame(sharedDrift(machine).map(inShort), [
    'the folder /home/.trash differs',
    ...[page, sharedFile, sshdFile, unit].map(path => `${path} was different`),
  ])
  for (const tool of ['nginx', 'sshd', 'systemctl']) standIn(tool)
  await Promise.all([machine.ensureShared(), machine.ensureShared(), machine.ensureShared()])
  t.strictSame(sharedDrift(machine), [])
  t.strictSame(calls(), [
    ...['nginx -t -q', 'systemctl reload -- nginx'],
    ...['sshd -t', 'systemctl reload -- ssh', 'systemctl daemon-reload'],
  ])
  await rebuild(machine, [alice])
  t.notOk(calls().includes('systemctl daemon-reload'), 'nothing that agrees is read again')
})

t.test('folders of sockets that others cannot enter are seen and opened again', async t => {
  const { machine } = await sandbox(t)
  for (const path of ['/run/panel/php', '/run/panel']) {
    for (const mode of [0o700, 0o777]) {
      chmodSync(machine.path(path), mode)
      t.strictSame(sharedDrift(machine).map(inShort), [`the folder ${path} differs`])
      await rebuildOf(machine).ensureShared()
      t.strictSame(sharedDrift(machine), [])
      t.equal(statSync(machine.path(path)).mode & 0o777, 0o755)
    }
  }
})

t.test('a comparison stops at its limit, even if all agree', async t => {
  const { machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const abort = new AbortController()
  let asked = 0
  function* forever() {
    for (;;) {
      asked += 1
      if (asked === 50) abort.abort()
      yield alice
    }
  }
  const differing = comparisonOf(machine, '1.0.0').listDiffering(forever(), abort.signal)
  await t.rejects(Array.fromAsync(differing), { name: 'AbortError' })
  t.equal(asked, 50)
})
