import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { lockFile } from '../../src/install/install-lock.ts'
import { mailboxFolder, mailData } from '../../src/host/mail-server/paths.ts'
import type { Panel } from '../support/panel.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { until } from '../support/until.ts'
import { openLines } from '../support/line-client.ts'
import { openLinuxPanel, run } from './machine.ts'

// Mail hosting with real daemons, and mailboxes as files of the machine.

export const password = 'correct horse'

export type Mailbox = { address: string; uid: number; quotaKb?: number; isSuspended?: boolean }

export type LookUps = {
  mailboxes: Mailbox[]
  aliases?: Record<string, string>
  /** Recipients an hour of each account. */
  limits?: Record<number, number>
  /** Domains with a DKIM key. */
  selectors?: Record<string, string>
}

const domainOf = (address: string): string => address.slice(address.indexOf('@') + 1)

let hash: Promise<string> | undefined
const hashed = (): Promise<string> =>
  (hash ??= must('doveadm', ['pw', '-s', 'BLF-CRYPT', '-r', '5', '-p', password]))

async function must(command: string, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, args)
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}${stdout}`)
  return stdout.trim()
}

/** Writes look-ups as the worker does (docs/decisions/0055-mail.md). */
export async function writeLookUps(lookUps: LookUps): Promise<void> {
  const { mailboxes, aliases = {}, limits = {}, selectors = {} } = lookUps
  const version = (await must('dovecot', ['--version'])).slice(0, 3)
  const quota = (kb: number) =>
    version === '2.3' ? `userdb_quota_rule=*:storage=${kb}K` : `userdb_quota_storage_size=${kb}K`
  const secret = await hashed()
  const domains = [...new Set(mailboxes.map(({ address }) => domainOf(address)))]
  const write = (name: string, lines: string[]) =>
    writeFileSync(join(mailData, name), lines.map(line => `${line}\n`).join(''))
  for (const { address, uid } of mailboxes) {
    const home = homeOf(address, uid)
    mkdirSync(home, { recursive: true, mode: 0o711 })
    chownSync(home, uid, uid)
  }
  for (const domain of domains) {
    const lines = mailboxes
      .filter(({ address }) => domainOf(address) === domain)
      .map(({ address, uid, quotaKb = 10_240, isSuspended = false }) => {
        const hash = isSuspended ? `{BLF-CRYPT}$2y$10$${'.'.repeat(53)}` : secret
        return `${address}:${hash}:${uid}:${uid}::${homeOf(address, uid)}::${quota(quotaKb)}`
      })
    write(`passwd/${domain}`, lines)
  }
  write(
    'domains',
    domains.map(domain => `${domain} panel`),
  )
  write(
    'mailboxes',
    mailboxes.map(({ address }) => `${address} panel`),
  )
  write(
    'aliases',
    Object.entries(aliases).map(([from, to]) => `${from} ${to}`),
  )
  const active = mailboxes.filter(one => one.isSuspended !== true)
  write(
    'senders',
    active.map(({ address }) => `${address} ${address}`),
  )
  write(
    'rates',
    active.map(({ address, uid }) => `${address} ${uid} ${limits[uid] ?? 200}`),
  )
  write(
    'from-domains',
    active.map(({ address }) => `${address} ${domainOf(address)}`),
  )
  write(
    'dkim-selectors',
    Object.entries(selectors).map(pair => pair.join(' ')),
  )
  for (const name of ['domains', 'mailboxes', 'aliases', 'senders']) {
    await must('postmap', [`lmdb:${mailData}/${name}`])
  }
  // Dovecot looks at the time of its files, in whole seconds.
  await Promise.all(
    mailboxes.map(({ address }) =>
      until(async () => (await run('doveadm', ['user', address])).code === 0, 5_000),
    ),
  )
}

/** The folder of a mailbox. */
export const homeOf = (address: string, uid: number): string =>
  join(mailboxFolder, String(uid), domainOf(address), address.slice(0, address.indexOf('@')))

export const host = 'mail.example.net'

/** Opens a panel that can turn mail hosting on. */
export async function openMailHosting(t: Test) {
  const panel = await openLinuxPanel(t)
  await panel.startMachineWorker({ PANEL_KEY: join(dirname(panel.root), 'key') })
  return { panel, ...mailCommands(t, panel) }
}

/** Commands of a panel that has a worker. */
export function mailCommands(t: Test, panel: Panel) {
  const stateDir = dirname(panel.root)
  const environment = {
    ...{ DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: stateDir },
    PANEL_HOST: 'linux',
  }
  const panelCall = (words: string[], input?: string) => callPanel(words, environment, input)
  t.teardown(() => run('sh', ['-c', 'postfix stop; doveadm stop; pkill -x rspamd']))
  const enable = (...words: string[]) => {
    // It belongs to the process, which a command of a server has for itself.
    rmSync(lockFile, { force: true })
    // Rspamd compiles its patterns first.
    return panelCall(['mail', 'enable', '--host', host, '--wait', '300', ...words])
  }
  return { panelCall, enable }
}

/** Waits until Rspamd answers Postfix, and mail is taken. */
export const untilReady = (): Promise<boolean> =>
  until(async () => {
    const client = await openLines({ port: 25 }).catch(() => undefined)
    if (client === undefined) return false
    await client.next(/^\d{3} /)
    await client.smtp('EHLO client.example')
    const answer = await client.smtp('MAIL FROM:<a@outside.example>')
    client.close()
    return answer.startsWith('250')
  }, 60_000)
