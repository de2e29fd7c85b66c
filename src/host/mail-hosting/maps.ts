import { lstatSync, writeFileSync } from 'node:fs'
import type { Machine, MachinePart } from '../contract.ts'
import { ensureFile, isThere, type Owner, readFile } from '../tools/files.ts'
import { asError, type Commit, groupCommit } from '../tools/group-commit.ts'
import { keyOf, parseBlocks, renderBlocks, withoutRemoved, type Blocks } from './blocks.ts'
import { mailPrograms } from './daemons.ts'
import {
  compiledFile,
  compiledMaps,
  domainsReadFile,
  mapFile,
  mapNames,
  type MapName,
} from '../mail-server/paths.ts'

// The maps that all accounts share. One commit writes the changes of many accounts.

/** The lines of an account in each map. */
export type MapLines = Record<MapName, readonly string[]>

type Change = { uid: number; lines: MapLines }

/** Replaces an account's lines in all maps. */
export const mailMaps: MachinePart<Commit<Change>> = {
  linux: machine => groupCommit(changes => commit(machine, changes)),
  sandbox: machine => groupCommit(changes => commit(machine, changes)),
}

/** Whether the server's mail was ever switched on. */
export const haveMaps = (machine: Machine): boolean => isThere(machine.path(mapFile('domains')))

/** Reads the blocks of all maps. */
export const readMaps = (machine: Machine): Record<MapName, Blocks> =>
  byMap(name => parseBlocks(readFile(machine.path(mapFile(name))) ?? ''))

const byMap = <Value>(make: (name: MapName) => Value): Record<MapName, Value> =>
  Object.fromEntries(mapNames.map(name => [name, make(name)])) as Record<MapName, Value>

/** Returns the lines of an account in the maps as they are. */
export const readLines = (maps: Record<MapName, Blocks>, uid: number): MapLines =>
  byMap(name => maps[name].get(uid) ?? [])

/** Returns the lines without what is removed: an address that stays leads where it does now. */
export const withoutGone = (found: MapLines, desired: MapLines): MapLines =>
  byMap(name => withoutRemoved(found[name], desired[name]))

/** Returns whether an address, login or domain has a line. */
export const hasLine = (lines: readonly string[], key: string): boolean =>
  lines.some(line => keyOf(line) === key)

// A domain whose mailboxes are missing would refuse their mail. So what is removed goes first from
// the list of domains, and a new domain is added to it last.
async function commit(machine: Machine, changes: readonly Change[]): Promise<(Error | void)[]> {
  try {
    const maps = readMaps(machine)
    const reduced = changes.map(({ uid, lines }) => ({
      uid,
      lines: withoutGone(readLines(maps, uid), lines),
    }))
    await writeMaps(machine, maps, reduced, mapNames)
    await writeMaps(machine, maps, changes, mapNames.toReversed())
    await ensureDomainsRead(machine)
    return changes.map(() => undefined)
  } catch (error) {
    return changes.map(() => asError(error))
  }
}

async function writeMaps(
  machine: Machine,
  maps: Record<MapName, Blocks>,
  changes: readonly Change[],
  order: readonly MapName[],
): Promise<void> {
  for (const name of order) {
    for (const { uid, lines } of changes) maps[name].set(uid, [...lines[name]])
    const path = machine.path(mapFile(name))
    await ensureFile(path, renderBlocks(maps[name]), 0o640, ownerOf(machine, path))
    if (isStale(machine, name)) await machine.part(mailPrograms).compile(path)
  }
}

// The daemons' groups were given to the files when the server's mail was switched on.
function ownerOf(machine: Machine, path: string): Owner | undefined {
  if (machine.files.owner(0, 0) === undefined) return undefined
  return machine.files.owner(0, lstatSync(path).gid)
}

// A process of Postfix keeps what it has learnt about a domain for as long as it serves: mail for a
// new domain could be refused for hours.
async function ensureDomainsRead(machine: Machine): Promise<void> {
  if (!areDomainsUnread(machine)) return
  await machine.part(mailPrograms).forgetDomains()
  writeFileSync(machine.path(domainsReadFile), '\n')
}

const areDomainsUnread = (machine: Machine): boolean =>
  timeOf(machine, domainsReadFile) < timeOf(machine, compiledFile('domains'))

const timeOf = (machine: Machine, path: string): bigint =>
  lstatSync(machine.path(path), { throwIfNoEntry: false, bigint: true })?.mtimeNs ?? 0n

// Returns whether the compiled form of a map is missing, or older than its text.
function isStale(machine: Machine, map: MapName): boolean {
  const name = compiledMaps.find(one => one === map)
  return name !== undefined && timeOf(machine, compiledFile(name)) < timeOf(machine, mapFile(name))
}

/** Returns the maps whose compiled form is missing or old, or not read again. */
export const listStale = (machine: Machine): MapName[] =>
  mapNames.filter(
    name => isStale(machine, name) || (name === 'domains' && areDomainsUnread(machine)),
  )

/** Returns the maps in which an account's lines differ. */
export const differing = (found: MapLines, desired: MapLines): MapName[] =>
  mapNames.filter(name => found[name].join('\n') !== desired[name].join('\n'))
