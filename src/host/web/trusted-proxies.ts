import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'
import { isStale } from '../services/stale.ts'
import { ensureFile, readFile } from '../tools/files.ts'
import { listDifferingShared } from './nginx-prepare.ts'
import { readTrustedProxies, trustedProxiesFile } from './trusted-proxies-file.ts'

/** The list of trusted proxies on a machine. */
export const trustedProxiesOf = (machine: Machine) =>
  ({
    async trustProxies(entries) {
      const before = readTrustedProxies(machine)
      await note(machine, entries)
      await machine.ensureShared()
      if (listDifferingShared(machine).length === 0 && !isStale(machine, 'nginx')) return
      await note(machine, before)
      await machine.ensureShared()
      throw new Error('nginx does not accept its configuration: nginx -t, or the worker’s log')
    },

    noteTrustedProxies: entries => note(machine, entries),
  }) satisfies Partial<Host>

async function note(machine: Machine, entries: readonly string[]): Promise<void> {
  const path = machine.path(trustedProxiesFile)
  const text = JSON.stringify(entries)
  // An empty list needs no file.
  if (readFile(path) === text || (entries.length === 0 && readFile(path) === undefined)) return
  await ensureFile(path, text, 0o644)
}
