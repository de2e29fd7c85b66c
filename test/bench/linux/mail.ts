import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool } from '../../../src/db.ts'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { readInbox, sendMail } from '../../support/line-client.ts'
import { makeTokens, call } from '../panel.ts'
import { start } from '../processes.ts'
import { makeBare, prepareBare } from './bare-mail.ts'
import type { AskedOfMail } from './mail-side.ts'

// The side of the row for mail, in a throw-away copy of this machine that systemd has started: the
// panel and the bare tools make mailboxes next to the same daemons.

const root = join(import.meta.dirname, '../../..')
const password = 'a password of the benchmark'
const turns = 100

const env = {
  PATH: process.env['PATH'] ?? '',
  DATABASE_URL: process.env['DATABASE_URL'] ?? '',
  PANEL_DEVELOPMENT: 'yes',
  PANEL_HOST: 'linux',
  PANEL_LISTEN: '127.0.0.1:0',
  PANEL_STATE_DIR: '/var/lib/panel-state',
  PANEL_KEY: '/var/lib/panel-state/key',
}
mkdirSync(env.PANEL_STATE_DIR, { recursive: true, mode: 0o700 })
writeFileSync(env.PANEL_KEY, randomBytes(32), { mode: 0o600 })
const pool = openPool(env.DATABASE_URL, 'panel_owner', 2)
await makeTokens(env.DATABASE_URL, 0)
const permission = 'Provisioning and hosting'
const tokens = await Promise.all(
  Array.from({ length: 4 }, (_, n) =>
    createToken(pool, { owner: 'admin', name: `mail${n}`, permission }),
  ),
)
await start('bin/panel-worker.ts', { env })
const { port } = await start('bin/panel-api.ts', { env })
let calls = 0
const ask = (...asked: [method: string, path: string, body: unknown]) =>
  call(port, tokens[calls++ % tokens.length]!.token, ...asked)

panel('mail', 'enable', '--host', 'mail.example.net', '--take-over', '--wait', '300')
await ask('PUT', '/packages/starter', { memory_mb: 128, max_mailboxes: 1_000, disk_mb: 10_000 })
await makeAccount('mailer')
await addRows('mailer', 'ours', turns, 0)
panel('ctl', 'rebuild')
prepareBare(turns)
await untilReady()
let made = 0
process.stdout.write('"ready"\n')
for await (const line of createInterface(process.stdin)) {
  const ms = await execute(JSON.parse(line) as AskedOfMail)
  process.stdout.write(`${JSON.stringify({ ms })}\n`)
}
process.exit(0)

async function execute(asked: AskedOfMail): Promise<number> {
  const begunAt = performance.now()
  if ('others' in asked) {
    const { accounts, domains, mailboxes } = asked.others
    for (let n = 0; n < accounts; n++) {
      await makeAccount(`other${n}`)
      await addRows(`other${n}`, `other${n}n`, domains, mailboxes)
    }
    panel('ctl', 'rebuild')
    return performance.now() - begunAt
  }
  const turn = made++ >> 1
  const isBare = asked.mailbox === 'floor'
  const address = `info@${isBare ? 'bare' : 'ours'}${turn}.example`
  if (isBare) await makeBare(address, password)
  else await ask('POST', '/accounts/mailer/mailboxes', { mailbox: address, password })
  await readFirst(address)
  return performance.now() - begunAt
}

async function readFirst(to: string): Promise<void> {
  const from = 'eve@outside.example'
  const text = `From: ${from}\nTo: ${to}\nSubject: First\n\nHi.\n`
  const localAddress = `127.0.1.${1 + (made % 200)}`
  const sent = await sendMail({ port: 25, from, to, text, localAddress })
  if (sent.code !== 250) throw new Error(`${to}: ${sent.transcript}`)
  for (let attempts = 0; attempts < 1_000; attempts++) {
    const { error, messages } = await readInbox(to, password)
    if (error !== undefined) throw new Error(error)
    if (messages.length === 1) return
    await sleep(5)
  }
  throw new Error(`${to} has no message`)
}

async function makeAccount(username: string): Promise<void> {
  const email = `${username}@example.com`
  await ask('POST', '/accounts', { username, password, email, package: 'starter' })
}

/** Gives an account active mail domains, as rows; a rebuild makes them true. */
async function addRows(username: string, name: string, domains: number, mailboxes: number) {
  await pool.query(
    `with added as (
       insert into panel.mail_domains (account_id, domain, state, verified_at, desired)
       select a.id, $2 || n || '.example', 'active', now(), 'present'
       from panel.accounts a, generate_series(0, $3::integer - 1) n
       where a.username = $1
       returning id, account_id)
     insert into panel.mailboxes (account_id, domain_id, local_part, hash, desired)
     select d.account_id, d.id, 'box' || n, $5, 'present'
     from added d, generate_series(1, $4::integer) n`,
    [username, name, domains, mailboxes, `$2b$10$${'a'.repeat(53)}`],
  )
}

// Rspamd compiles its patterns first, and mail is not taken before.
async function untilReady(): Promise<void> {
  const message = { port: 25, from: 'eve@outside.example', text: 'Subject: x\n\nx\n' }
  for (let attempts = 0; attempts < 600; attempts++) {
    const answer = await sendMail({ ...message, to: 'none@ours0.example' }).catch(() => undefined)
    if (answer?.code === 550) return
    await sleep(500)
  }
  throw new Error('The mail daemons do not answer')
}

function panel(...words: string[]): void {
  const more = { NODE_COMPILE_CACHE: '/var/tmp/compile-cache' }
  execFileSync(process.execPath, [join(root, 'bin/panel'), ...words], {
    env: { ...env, ...more },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
