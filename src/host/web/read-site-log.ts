import * as fs from 'node:fs'
import type { Machine, UserKey } from '../contract.ts'
import { homeOf } from '../accounts/users.ts'
import { logOf, refuseForeign } from '../php/log.ts'
import { hasCode } from '../tools/files.ts'
import { type LogKind, siteLogsOf } from './site-logs.ts'

// Reads the end of a website's logs for its owner and for operators. The account may have written
// anything into them.

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants

// Limits on what is read of each file, and shown of each line.
const maxBytes = 2_000_000
const maxLine = 2_000

type Chosen = { kind: LogKind; filter: string; count: number }

/**
 * Returns the last lines that contain the filter, whatever its case, the newest last. Those of the
 * error log include the errors that PHP has logged for files of the website, which are in the one
 * log of its account.
 */
export function readSiteLog(
  machine: Machine,
  account: UserKey,
  domain: string,
  { kind, filter, count }: Chosen,
): string[] {
  const [current, former] = siteLogsOf(account.username, domain, kind)
  const own = [former, current].flatMap(path => linesOf(machine, path))
  const lines = kind === 'access' ? own : merged(own, phpErrors(machine, account, domain))
  const text = filter.toLowerCase()
  return (
    lines
      .filter(line => line.toLowerCase().includes(text))
      .slice(-count)
      // PostgreSQL refuses zero bytes and lone surrogates.
      .map(line => line.slice(0, maxLine).replaceAll('\0', '\ufffd').toWellFormed())
  )
}

/** Returns the last whole lines of a file; none if there is no such file, or a lease on it. */
function linesOf(machine: Machine, log: string): string[] {
  const path = machine.path(log)
  let file: number
  try {
    refuseForeign(machine, path)
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EAGAIN', 'ELOOP')) return []
    throw error
  }
  try {
    const found = fs.fstatSync(file)
    if (!found.isFile()) return []
    const from = Math.max(0, found.size - maxBytes)
    const buffer = Buffer.alloc(Math.min(found.size, maxBytes))
    const length = fs.readSync(file, buffer, 0, buffer.length, from)
    const lines = buffer.toString('utf8', 0, length).split('\n')
    return lines.slice(from > 0 ? 1 : 0).filter(line => line !== '')
  } finally {
    fs.closeSync(file)
  }
}

/** Returns the entries of an account's PHP log that name a file of the website. */
function phpErrors(machine: Machine, { username }: UserKey, domain: string): string[] {
  const log = logOf(username)
  const entries: string[][] = []
  for (const line of [`${log}.1`, log].flatMap(path => linesOf(machine, path))) {
    // A stack trace has lines of its own.
    if (phpTime.test(line) || entries.length === 0) entries.push([line])
    else entries.at(-1)?.push(line)
  }
  const folder = `${homeOf(username)}/sites/${domain}/`
  return entries.filter(entry => entry.some(line => line.includes(folder))).flat()
}

// Sorts lines by their times; a line without one stays behind the one before it.
function merged(...logs: string[][]): string[] {
  const timed = logs.flatMap(lines => {
    let last = 0
    return lines.map(line => ({ line, time: (last = timeOf(line) ?? last) }))
  })
  return timed.sort((a, b) => a.time - b.time).map(({ line }) => line)
}

const ownTime = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d) /
const phpTime = /^\[(\d\d)-([A-Z][a-z]{2})-(\d{4}) (\d\d:\d\d:\d\d)(?: ([A-Za-z0-9_+/-]{1,64}))?\]/

function timeOf(line: string): number | undefined {
  const [own, year, month, day, clock] = ownTime.exec(line) ?? []
  if (own !== undefined) return Date.parse(`${year}-${month}-${day}T${clock}Z`)
  const [php, date, name, of, at, zone] = phpTime.exec(line) ?? []
  if (php === undefined) return undefined
  // PHP itself has the time of its script's zone, its master that of the server.
  const time = Date.parse(`${date} ${name} ${of} ${at} ${zone === undefined ? '' : 'UTC'}`)
  return zone === undefined || zone === 'UTC' ? time : time - offsetOf(zone, time)
}

function offsetOf(timeZone: string, time: number): number {
  try {
    const local = new Date(time).toLocaleString('sv-SE', { timeZone })
    return Date.parse(`${local.replace(' ', 'T')}Z`) - time
  } catch {
    return 0 // An unknown zone.
  }
}
