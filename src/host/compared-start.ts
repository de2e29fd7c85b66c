import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { HostAccount } from '../model/accounts/host-account.ts'
import type { Host } from '../model/server/host.ts'
import type { Machine } from './contract.ts'
import { takeSnapshot } from './drift.ts'
import { ensureFile, readFile } from './tools/files.ts'
import { bootId, findProcess } from './tools/processes.ts'

// Checks for what a machine may have lost at its start: changes that a power cut undid, and limits
// that the kernel keeps only in memory. Also for what another version of the panel does
// differently.

/** Records after which start of the machine its accounts were compared, and by which version. */
const noteFile = '/var/lib/panel/compared'

/**
 * The operations that the worker calls once after each start of the machine, and after each update.
 */
export const comparisonOf = (machine: Machine, version: string) => {
  const note = machine.path(noteFile)
  // A container restarts while its kernel keeps running.
  const thisStart = () => `${bootId()} ${findProcess(1)?.startedTicks ?? ''} ${version}\n`
  return {
    isComparisonDue() {
      const noted = readFile(note)
      // A machine without a note has never had an account, or is being restored.
      return noted !== undefined && noted !== thisStart()
    },
    async noteComparison() {
      mkdirSync(dirname(note), { recursive: true })
      await ensureFile(note, thisStart(), 0o600)
    },
    async *listDiffering(accounts: Iterable<HostAccount>, signal: AbortSignal) {
      const { driftOf } = await takeSnapshot(machine)
      for (const account of accounts) {
        if (driftOf(account).size > 0) yield account.id
        // Each takes up to a millisecond, and operations continue meanwhile.
        await setImmediate(undefined, { signal })
      }
    },
  } satisfies Partial<Host>
}
