import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { LogAccount, SiteLines } from '../../model/sites/site-logs.ts'
import { homeOf } from '../accounts/users.ts'
import type { Machine } from '../contract.ts'
import { refuseForeign, startLog } from '../php/log.ts'
import { hasCode } from '../tools/files.ts'

// The logs of each website, in the `logs` folder of its home. As with PHP's log, the folder is
// root's and the files are the account's: it can read, empty and close them, but put nothing in
// their place. nginx opens none of them: a lease on one (fcntl(2)) would stop its workers.

const { O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = fs.constants

// A name of a file has at most 255 bytes, a domain at most 253.
const longest = 220

/** Returns the beginning of the names of a website's logs: its domain, unless that is very long. */
export function logNameOf(domain: string): string {
  if (domain.length <= longest) return domain
  const hash = createHash('sha256').update(domain).digest('hex').slice(0, 16)
  return `${domain.slice(0, longest - 17)}-${hash}`
}

export type LogKind = 'access' | 'error'

/** Returns the path of a website's log, and that of the one before it. */
export const siteLogsOf = (username: string, domain: string, kind: LogKind): [string, string] => {
  const path = `${homeOf(username)}/logs/${logNameOf(domain)}.${kind}.log`
  return [path, `${path}.1`]
}

const named = /^(.+)\.(access|error)\.log(\.1)?$/

// All logs of an account together have at most 100 MB, and PHP's is cut to its part every 10 s.
const totalBytes = 96_000_000
const largest = { access: 10_000_000, error: 2_000_000 }

/** The size at which a log is rotated; one former log is kept. */
export function maxBytes(kind: LogKind, siteCount: number): number {
  const share = totalBytes / Math.max(1, siteCount)
  return Math.floor(Math.min(largest[kind], share * (kind === 'access' ? 0.4 : 0.1)))
}

// For blocks that are not full.
const slackBytes = 65_536

export async function writeSiteLogs(
  machine: Machine,
  lines: readonly SiteLines[],
  accounts: readonly LogAccount[],
): Promise<void> {
  const bySite = new Map(lines.map(one => [one.site, one]))
  // Root may write beyond a quota.
  const rooms = await machine.quota.measureRoom().catch((error: unknown) => {
    log.error('the room for logs of websites is unknown', error)
    return 'unknown' as const
  })
  if (rooms === 'unknown') return
  for (const account of accounts) {
    const own = account.sites.flatMap(({ id, domain }) => {
      const found = bySite.get(id)
      return found === undefined ? [] : [{ domain, ...found }]
    })
    const bytes = own.reduce((sum, one) => sum + one.access.length + one.errors.length, slackBytes)
    if ((rooms?.get(account.uid) ?? Infinity) < bytes) continue
    try {
      sweep(machine, account)
      for (const { domain, access, errors } of own) {
        append(machine, account, domain, 'access', access)
        append(machine, account, domain, 'error', errors)
      }
    } catch (error) {
      // It may just have been terminated.
      if (hasCode(error, 'ENOENT')) continue
      log.error('the logs of websites cannot be written', error, { uid: account.uid })
    }
    await setImmediate()
  }
}

// Removes logs of former websites, and what became too large because websites were added.
function sweep(machine: Machine, { username, uid, sites }: LogAccount): void {
  const folder = machine.path(`${homeOf(username)}/logs`)
  refuseForeign(machine, `${folder}/any`)
  const names = new Set(sites.map(({ domain }) => logNameOf(domain)))
  for (const name of fs.readdirSync(folder)) {
    const [, site = '', kind, former] = named.exec(name) ?? []
    if (kind === undefined) continue
    const path = `${folder}/${name}`
    const size = fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
    const isLarge = size > maxBytes(kind as LogKind, sites.length)
    if (!names.has(site) || (isLarge && former !== undefined)) clear(path)
    else if (isLarge) rotate(machine, uid, path)
  }
}

function append(
  machine: Machine,
  { username, uid, sites }: LogAccount,
  domain: string,
  kind: LogKind,
  text: string,
): void {
  if (text === '') return
  const path = machine.path(siteLogsOf(username, domain, kind)[0])
  const limit = maxBytes(kind, sites.length)
  const kept = text.length > limit ? text.slice(text.indexOf('\n', text.length - limit) + 1) : text
  const found = fs.lstatSync(path, { throwIfNoEntry: false })
  const owner = machine.files.owner(uid, uid)
  const isOwn = found?.isFile() === true && (owner === undefined || found.uid === owner.uid)
  if (!isOwn) startLog(machine, uid, path)
  else if (found.size + kept.length > limit) rotate(machine, uid, path)
  let file: number
  try {
    file = fs.openSync(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    // The account has a lease on it: only these lines are lost.
    if (hasCode(error, 'EAGAIN')) return
    throw error
  }
  try {
    fs.writeSync(file, kept, null, 'latin1')
  } finally {
    fs.closeSync(file)
  }
}

function rotate(machine: Machine, uid: number, path: string): void {
  clear(`${path}.1`)
  fs.renameSync(path, `${path}.1`)
  startLog(machine, uid, path)
}

// The folder is root's, and nothing but root makes folders in it.
const clear = (path: string): void => fs.rmSync(path, { force: true, recursive: true })
