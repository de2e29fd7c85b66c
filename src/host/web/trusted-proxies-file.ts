import { TrustedProxies } from '../../model/server/trusted-proxies.ts'
import { readFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'

/** The copy of the list on the machine, as configurations are rendered without the database. */
export const trustedProxiesFile = '/var/lib/panel/trusted-proxies.json'

/** Returns the entries of the list; none if the file is not the panel's. */
export function readTrustedProxies(machine: Machine): string[] {
  try {
    const text = readFile(machine.path(trustedProxiesFile))
    return text === undefined ? [] : TrustedProxies.parse(JSON.parse(text))
  } catch {
    // Doctor compares it with the database, and a rebuild replaces it.
    return []
  }
}
