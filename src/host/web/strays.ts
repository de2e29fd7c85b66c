import * as fs from 'node:fs'
import type { Machine } from '../contract.ts'
import { listNames, targetOf } from '../tools/files.ts'
import { at, parts, siteIdOf, type Part } from './folders.ts'
import { removeFolders } from './websites.ts'

// Websites by what nginx finds of them, whoever has made it.

/** The numbers of the websites that nginx finds anything of. */
export const listWebsites = (machine: Machine): string[] => [
  ...new Set(parts.flatMap(part => entriesOf(machine, part).flatMap(({ siteId }) => siteId ?? []))),
]

/** The names that lead visitors or their handshakes anywhere. */
export const listWebsiteNames = ({ path }: Machine): string[] => [
  ...new Set((['names', 'tls'] as const).flatMap(part => listNames(path(at(part, ''))))),
]

/** Has these names lead nowhere. */
export async function removeNames(machine: Machine, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  for (const part of ['names', 'tls'] as const) {
    for (const name of names) fs.rmSync(machine.path(at(part, name)), { force: true })
  }
  await machine.sync(at('names', ''), at('tls', ''))
}

/** Has nginx find nothing of these websites. */
export async function removeWebsites(machine: Machine, siteIds: readonly string[]): Promise<void> {
  if (siteIds.length === 0) return
  for (const part of ['names', 'tls'] as const) {
    for (const { path, siteId } of entriesOf(machine, part)) {
      if (siteId !== undefined && siteIds.includes(siteId)) fs.rmSync(path)
    }
  }
  await removeFolders(machine, siteIds)
  await machine.sync(at('names', ''), at('tls', ''))
}

function entriesOf({ path }: Machine, part: Part): { path: string; siteId: string | undefined }[] {
  const isByName = part === 'names' || part === 'tls'
  return listNames(path(at(part, ''))).map(name => {
    const place = path(at(part, name))
    return { path: place, siteId: siteIdOf(isByName ? (targetOf(place) ?? '') : name) }
  })
}
