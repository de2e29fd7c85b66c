import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { operationNames } from '../../src/model/operations/operation-names.ts'
import { resourceTests } from '../resource-tests.ts'
import { until } from '../support/until.ts'
import { courierSettings, startAuthority } from './authority.ts'
import type { DebianMachine } from './debian-machine.ts'
import { showEveryCommand } from './every-command.ts'
import { type Client, clientOf } from './installed.ts'
import { openBrowser, signInByLink } from './people.ts'
import { sql } from './updated.ts'

// Every command and every operation, once, under the units as they are installed: by the command
// line, and by the API and pages behind nginx.

const [name, password, database] = ['dora', 'correct horse battery', 'dora_shop']
const path = `/accounts/${name}`
const page = `/account/databases/${database}`
const account = {
  ...{ username: name, password, email: 'dora@example.com' },
  ...{ package: 'all', domain: 'dora.example' },
}

/** Runs them on an installed panel with databases, and says which did not do their work. */
export async function showEverything(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  const since = (await sql(machine, 'select extract(epoch from now())')).trim()
  await t.test('every command does its work', t => showEveryCommand(t, machine))
  await t.test('the API has its work done', t => showApi(t, machine, client))
  await t.test('so do the pages', t => showPages(t, machine, client))
  await t.test('the remedies of the server work', t => showRemedies(t, machine))
  t.match(await client('DELETE', path), { status: 200 })
  t.match(await client('DELETE', '/packages/all'), { status: 200 })

  // As an update asks whether all of it works.
  await machine.must('/opt/panel/current/node', '/opt/panel/current/bin/panel-release.ts', 'health')

  await t.test('every operation has come to its end', async t => {
    const from = 'from panel.operations where state'
    // Done before too: a rebuild of the shared files, while there was no account.
    const good = await sql(machine, `select distinct name ${from} = 'done' and status < 400`)
    const missing = Object.keys(operationNames).filter(one => !good.split('\n').includes(one))
    t.strictSame(missing, [], 'none is without a case here')
    const now = `${from} = 'failed' and finished_at > to_timestamp(${since})`
    const failed = await sql(machine, `select name, reason ${now}`)
    t.equal(failed, '', 'none has failed')
  })
  const log = ['journalctl', '--output=cat', '--unit=panel-*', `--since=@${since.split('.')[0]}`]
  const lines = (await machine.must(...log)).split('\n')
  t.strictSame(lines.filter(isComplaint), [], 'and nothing was complained of')
}

const isComplaint = (line: string): boolean => line.includes('"level":"error"')

/** The operations that the API offers, and what follows from them. */
export async function showApi(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await client(method, path, body)
    t.match(answer.status, /^20[01]$/, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await withAuthority(t, machine, async () => {
    await call('PUT', '/packages/all', { max_databases: 2, backups: 'none' })
    await call('POST', '/accounts', account)
    // A request, made by root, and a certificate, checked and served by root.
    const isIssued = async () => JSON.stringify(await call('GET', path)).includes('"issued"')
    t.ok(await until(isIssued, 60_000), 'a certificate')
  })
  await call('PUT', `${path}/package`, { package: 'starter' })
  await call('PUT', `${path}/package`, { package: 'all' })
  await call('PUT', `${path}/password`, { password: `${password} 2` })
  await call('PATCH', path, { email: 'dora@example.org' })
  await call('POST', `${path}/suspend`, { reason: 'tried' })
  await call('POST', `${path}/unsuspend`, {})
  for (const { showApi: show } of resourceTests) await show?.(machine, client, name)
  const permission = ['--permission', 'Read events', '--json']
  const made = await machine.must('panel', 'token', 'create', '--owner', 'admin', ...permission)
  const { token } = JSON.parse(made) as { token: string }
  t.match(await clientOf(machine, token)('POST', '/events/redeliver', { after: 1 }), {
    status: 200,
  })
}

/** Lets the courier ask an authority and name servers of the test's own. */
async function withAuthority(t: Test, machine: DebianMachine, work: () => Promise<void>) {
  const folder = join(machine.root, 'srv/authority')
  mkdirSync(folder, { recursive: true })
  const authority = await startAuthority(t, { folder, inNetwork: machine.inNetwork })
  for (const name of ['dora.example', 'www.dora.example']) authority.point(name, '127.0.0.1')
  const settings = { ...courierSettings, NODE_EXTRA_CA_CERTS: '/srv/authority/authority.pem' }
  const lines = Object.entries(settings).map(one => `Environment=${one.join('=')}`)
  await machine.run(
    ['sh', '-c', `mkdir -p ${dropIn}; cat >${dropIn}/authority.conf`],
    `[Service]\n${lines.join('\n')}\n`,
  )
  await machine.must('systemctl', 'daemon-reload')
  await machine.must('systemctl', 'restart', 'panel-courier')
  await work()
  await machine.must('rm', '-r', dropIn)
  await machine.must('systemctl', 'daemon-reload')
  await machine.must('systemctl', 'restart', 'panel-courier')
}

const dropIn = '/run/systemd/system/panel-courier.service.d'

/** Changes databases on pages as customers do, which no endpoint does. */
export async function showPages(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  await machine.must('panel', 'database', 'add', name, 'shop')
  const { browser } = await signInByLink(machine, client, name)
  writeFileSync(join(machine.root, 'srv/dump.sql'), 'CREATE TABLE sent (a INT);\n')
  const file = `dump=@${join(machine.root, 'srv/dump.sql')}`
  const sent = await browser.send(`${page}/import`, file)
  t.match(sent, { status: 303 }, sent.text)
  const exported = await browser.send(`${page}/export`)
  t.match(exported, { status: 303 }, exported.text)
  const isOffered = await until(async () => {
    const { text } = await browser.ask(`${page}/export`)
    return text.includes(`${page}/export/download`)
  })
  t.ok(isOffered, 'an export to download')
  const downloaded = await browser.ask(`${page}/export/download`)
  t.match(downloaded.head, /content-disposition: attachment; filename="dora_shop.sql.gz"/i)
  const opened = await browser.send(`${page}/adminer`)
  t.match(opened.text, /8444\/open\//)
  const closed = await browser.send(`${page}/adminer/close`)
  t.match(closed, { status: 303 }, closed.text)
  const tables = ['mariadb', '--batch', '--execute', `SHOW TABLES IN ${database}`]
  t.match(await machine.must(...tables), /^sent$/m)
}

/** Mends the server from its page, as an administrator of its own. */
async function showRemedies(t: Test, machine: DebianMachine): Promise<void> {
  const owner = ['ops', '--role', 'administrator', '--email', 'ops@example.com']
  const added = ['panel', 'user', 'add', ...owner, '--password-stdin']
  t.match(await machine.run(added, `${password}\n`), { code: 0 })
  const ops = openBrowser(machine, 'ops')
  t.match(await ops.submit('/sign-in', { username: 'ops', password }), { status: 303 })
  const mend = async (remedy: string, fields: Record<string, string> = {}) => {
    const address = `/server/remedies/${remedy}`
    const { text } = await ops.ask(address)
    const [, token = ''] = /name="token" value="([^"]*)"/.exec(text) ?? []
    const sent = await ops.submit(address, { token, key: randomUUID(), ...fields })
    t.match(sent, { status: 303, head: /^location: \/server#concerns/im }, remedy)
  }
  await machine.must('systemctl', 'stop', 'cron')
  await mend('start-service', { service: 'cron' })
  t.ok(await until(async () => (await machine.run(isCronUp)).code === 0, 30_000), 'cron runs')
  await mend('rebuild-account', { username: name })
  await mend('rebuild-server')
  await mend('repair')
  const passphrase = 'a long passphrase of hers'
  await mend('back-up', { passphrase, again: passphrase })
  await machine.must('panel', 'account', 'create', 'gone', '--email', 'gone@example.com', ...small)
  await machine.must('panel', 'account', 'terminate', 'gone', '--yes')
  await mend('empty-trash', { until: new Date().toISOString() })
  t.ok(
    await until(
      async () => !(await ops.ask('/server')).text.includes('in progress</span>'),
      60_000,
    ),
  )
}

const isCronUp = ['systemctl', 'is-active', '-q', 'cron']
const small = ['--package', 'starter']
