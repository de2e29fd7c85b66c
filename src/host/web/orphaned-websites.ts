import * as fs from 'node:fs'
import type { Websites } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { listNames } from '../tools/files.ts'
import { at, siteIdOf, type Part } from './folders.ts'
import { removeFolders } from './websites.ts'

// Websites that nginx serves, regardless of who made them.

/** Returns all websites of which nginx has anything. */
export function listWebsites({ path }: Machine): Websites {
  const inAll = (parts: readonly Part[]) => parts.flatMap(part => listNames(path(at(part, ''))))
  const siteIds = inAll(['live', 'suspended', 'sites', 'certs']).flatMap(
    name => siteIdOf(name) ?? [],
  )
  return { siteIds: unique(siteIds), names: unique(inAll(byName)) }
}

/** Removes these from nginx; may run twice. */
export async function removeWebsites(
  machine: Machine,
  { siteIds, names }: Websites,
): Promise<void> {
  if (names.length > 0) {
    for (const part of byName) {
      for (const name of names) fs.rmSync(machine.path(at(part, name)), { force: true })
    }
    await machine.sync(at('names', ''), at('tls', ''))
  }
  if (siteIds.length > 0) await removeFolders(machine, siteIds)
}

const byName = ['names', 'tls'] as const

const unique = (found: readonly string[]): string[] => [...new Set(found)]
