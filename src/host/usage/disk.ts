import * as fs from 'node:fs'
import { join } from 'node:path'
import { log } from '../../log.ts'
import type { DiskUse, DiskUser } from '../../model/host.ts'
import type { Machine } from '../machine.ts'
import { CommandError, run, type RunOptions } from '../tools/run.ts'
import { homeOf } from '../accounts/users.ts'

// What accounts have on the disk. Where the file system keeps a quota it knows all sums at once;
// elsewhere files are counted, as the user whose they are.

// Rows stored at a time.
const chunkSize = 1_000
// Counted at the same time: they all wait for one disk.
const counters = 4
// A home of some ten million files; beyond it the next turn tries again.
const countLimitMs = 300_000
// Twice what a server with 100,000 users reports.
const reportLimit = 20_000_000

/** Measures each user; leaves out those of whom it cannot be told now. */
export async function* measureDisk(
  machine: Machine,
  users: readonly DiskUser[],
): AsyncGenerator<DiskUse[]> {
  const measuredAt = new Date()
  const report = machine.kind === 'linux' ? await reportOf(machine) : undefined
  for (let start = 0; start < users.length; start += chunkSize) {
    const chunk = users.slice(start, start + chunkSize)
    if (report === undefined) yield* countAll(machine, chunk)
    // A user without files and limits is not in the report.
    else yield chunk.map(({ id, uid }) => ({ id, bytes: report.get(uid) ?? 0, measuredAt }))
  }
}

/** The bytes of each uid by `repquota -n`: `#20001 -- 12 1024 1024 ...`, in KiB. */
export function parseReport(text: string): Map<number, number> {
  const lines = text.matchAll(/^#([0-9]+) +[-+]{2} +([0-9]+) /gm)
  return new Map(Array.from(lines, ([, uid, kib]) => [Number(uid), Number(kib) * 1024]))
}

async function reportOf(machine: Machine): Promise<Map<number, number> | undefined> {
  try {
    const mount = (await machine.run('findmnt', ['-nro', 'TARGET', '-T', '/home'])).trim()
    const options = { timeoutMs: 120_000, outputLimit: reportLimit }
    return parseReport(await machine.run('repquota', ['-u', '-n', mount], options))
  } catch (error) {
    // Without quotas, which the accounts' warnings tell already.
    if (error instanceof CommandError) return undefined
    throw error
  }
}

async function* countAll(machine: Machine, users: DiskUser[]): AsyncGenerator<DiskUse[]> {
  for (let start = 0; start < users.length; start += counters) {
    const group = users.slice(start, start + counters)
    const counted = await Promise.all(group.map(user => count(machine, user)))
    yield counted.filter(use => use !== undefined)
  }
}

async function count(machine: Machine, { id, uid, username }: DiskUser) {
  const measuredAt = new Date()
  try {
    const home = homeOf(username)
    const bytes =
      machine.kind === 'sandbox'
        ? await countHere(machine.path(home))
        : await countAs(machine, uid, home)
    return { id, bytes, measuredAt }
  } catch (error) {
    // It may be on its way out, or its processes were ended this moment.
    log.info('disk use of an account unknown', { account: id, error })
    return undefined
  }
}

// Files that go while they are counted, and folders that their user has closed to itself, make
// `du` end with 1; it tells the sum all the same.
const options: RunOptions = { timeoutMs: countLimitMs, acceptedCodes: [1] }
const du = ['-s', '-c', '-x', '--block-size=1', '--']

// The home itself is root's.
const countAs = async (machine: Machine, uid: number, home: string): Promise<number> => {
  const folders = ['sites', 'files', 'tmp', 'logs'].map(name => `${home}/${name}`)
  return totalOf(await machine.run('du', [...du, ...folders], { ...options, as: uid }))
}

async function countHere(home: string): Promise<number> {
  try {
    return totalOf(await run('du', [...du, home], options))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return walk(home)
  }
}

function totalOf(text: string): number {
  const total = /^([0-9]+)\ttotal$/m.exec(text)?.[1]
  if (total === undefined) throw new Error('du tells no total')
  return Number(total)
}

/** What `du` would tell, where there is none. */
export async function walk(folder: string, seen = new Set<string>()): Promise<number> {
  const entries = await fs.promises.readdir(folder)
  let bytes = blocksOf(await fs.promises.lstat(folder))
  for (const entry of entries) {
    const path = join(folder, entry)
    const found = await fs.promises.lstat(path)
    if (found.isDirectory()) bytes += await walk(path, seen)
    else if (isNew(found, seen)) bytes += blocksOf(found)
  }
  return bytes
}

// A file of several names is there once.
function isNew({ nlink, dev, ino }: fs.Stats, seen: Set<string>): boolean {
  if (nlink === 1) return true
  const isSeen = seen.has(`${dev}:${ino}`)
  seen.add(`${dev}:${ino}`)
  return !isSeen
}

const blocksOf = ({ blocks }: fs.Stats): number => blocks * 512
