import { globSync, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { listProcesses } from '../../../src/host/accounts/user-processes.ts'
import { readOfProcess } from '../../../src/host/tools/processes.ts'
import { ensureServerKey } from '../../../src/start/server-key.ts'
import { isFull } from '../../support/full.ts'
import { alice } from '../../support/panel.ts'
import { startProcess } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import { openLinuxPanel, putFile, run, sftp, expectPage, visit } from '../machine.ts'

// Measures many accounts of which a few are visited: memory, disk, and how long the first visitor
// waits. PANEL_TEST_FULL=yes takes a thousand of them.

const [count, visited] = isFull ? [1_000, 20] : [40, 20]
const [maxMemory, maxDisk] = [400 * 2 ** 20, 2 ** 20]

// PHP as it comes, and no databases: what other tests need for WordPress makes each master of PHP
// 2 MB larger, and the worker reads MariaDB's client where there is a server.
const beyond = globSync('/etc/php/*/fpm/conf.d/*-{gd,mysqlnd,mysqli,pdo_mysql}.ini')
for (const module of beyond) rmSync(module)
await run('systemctl', ['stop', 'mariadb'])
// After its start it compiles patterns for a while, some of which take megabytes of disk.
await run('systemctl', ['stop', 'rspamd'])
rmSync('/usr/sbin/mariadbd', { force: true })

const panel = await openLinuxPanel(t)
const settings = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_HOST: 'linux',
  PANEL_STATE_DIR: '/var/lib/panel-state',
  PANEL_ACME_DIRECTORY: 'none',
  PANEL_LISTEN: '127.0.0.1:8099',
}
mkdirSync('/var/lib/panel-state')
await ensureServerKey('/var/lib/panel-state/key')
const processes = [await panel.startMachineWorker({ ...settings, PANEL_PHP_IDLE: '10s' })]
for (const name of ['api', 'courier']) {
  const options = { ready: / ready/, environment: settings }
  processes.push(await startProcess(t, `bin/panel-${name}.ts`, [], options))
}

const accounts = Array.from({ length: count }, (_, index) => ({
  username: `u${index}`,
  domain: `u${index}.example`,
  uid: 0,
}))
const figure = (text: string) => t.comment(`figure: ${text}`)
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MB`

await run('journalctl', ['--flush'])
const before = await bytesOnDisk()

t.test('many accounts are made, and each is visited once', async t => {
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  const begunAt = Date.now()
  await inTurns(16, async account => {
    const body = { ...alice, ...account, uid: undefined }
    const made = () => panel.call('POST', '/api/v1/accounts', { body })
    await until(async () => {
      const { status, text } = await made()
      if (status === 429) return void (await sleep(1_000))
      if (status !== 201) throw new Error(text)
      return true
    }, 120_000)
  })
  figure(`${count} accounts made in ${((Date.now() - begunAt) / 1000).toFixed(0)} s`)
  const { rows } = await panel.pool.query('select username, uid from panel.accounts')
  const uids = new Map(rows.map(({ username, uid }) => [username, Number(uid)]))
  for (const account of accounts) account.uid = uids.get(account.username) ?? 0
  await expectPage(accounts.at(-1)!.domain, '/', /^200 /)
  await inTurns(2, async ({ uid, username, domain }) => {
    const path = `/home/${username}/sites/${domain}/public/id.php`
    await putFile({ uid }, path, '<?php error_log("asked"); echo posix_geteuid();')
    const answer = await visit(domain, '/id.php')
    if (answer.text !== String(uid)) t.fail(`${username}: ${answer.status} ${answer.text}`)
  })
})

t.test('the PHP of all of them ends', async () => {
  await until(() => masters().length === 0, 120_000)
})

t.test('the first visit waits for PHP to start', async () => {
  const [first, second] = [[] as number[], [] as number[]]
  for (const { domain } of accounts.slice(0, visited)) {
    for (const times of [first, second]) {
      const begunAt = performance.now()
      await visit(domain, '/id.php')
      times.push(performance.now() - begunAt)
    }
  }
  const report = (times: number[]) => {
    const [min, middle, max] = [0, 0.5, 0.99].map(share =>
      times.toSorted((a, b) => a - b)[Math.floor(share * times.length)]!.toFixed(0),
    )
    return `${middle} ms (${min} to ${max})`
  }
  figure(`first visit of a sleeping site ${report(first)}, the next ${report(second)}`)
})

t.test('a thousand accounts take little memory and disk', async t => {
  for (const { username } of accounts.slice(0, visited)) {
    t.equal((await sftp(username, alice.password, 'pwd\n')).code, 0)
  }
  // Every one of them is asked for at the moment of the look.
  for (const { domain } of accounts.slice(0, visited)) await visit(domain, '/id.php')
  const journal = await run('systemctl', ['show', '-P', 'MainPID', 'systemd-journald'])
  const php = sum(phpOfAccounts().map(memoryOf))
  const own = sum(processes.map(({ child }) => memoryOf(String(child.pid))))
  const journald = memoryOf(journal.stdout.trim())
  figure(`PHP ${mb(php)} of ${masters().length} masters, panel ${mb(own)}, journal ${mb(journald)}`)
  t.equal(masters().length, visited)
  t.ok(php + own + journald <= maxMemory, mb(php + own + journald))
  const each = ((await bytesOnDisk()) - before) / count
  figure(`${mb(each)} of disk for each account in addition to its own files`)
  t.ok(each <= maxDisk)
})

t.test('terminated ones leave nothing in the journal', async t => {
  await inTurns(8, async ({ username }) => {
    if (Number(username.slice(1)) >= 40) return
    t.equal((await panel.call('DELETE', `/api/v1/accounts/${username}`)).status, 200)
  })
  t.strictSame(globSync('/var/log/journal/*/user-*'), [])
})

/** The bytes that are written to the disk, homes left out. */
async function bytesOnDisk(): Promise<number> {
  const { blocks, bfree, bsize } = statfsSync('/')
  const { stdout } = await run('du', ['-s', '--block-size=1', '/home'])
  return (blocks - bfree) * bsize - Number(stdout.split('\t')[0])
}

function phpOfAccounts(): string[] {
  const uids = new Set(accounts.map(({ uid }) => uid))
  return listProcesses()
    .filter(({ name, uid }) => name.startsWith('php-fpm') && uids.has(uid))
    .map(({ pid }) => pid)
}

const masters = () =>
  phpOfAccounts().filter(pid => readOfProcess(pid, 'cmdline').includes('master process'))

/** The memory that a process has, with its share of what it has together with others. */
const memoryOf = (pid: string): number =>
  1024 * Number(/^Pss:\s*([0-9]+) kB/m.exec(readOfProcess(pid, 'smaps_rollup'))?.[1])

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0)

async function inTurns(atOnce: number, act: (account: (typeof accounts)[number]) => Promise<void>) {
  const waiting = [...accounts]
  const next = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await act(one)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}
