import { setImmediate } from 'node:timers/promises'
import { z, ZodError } from 'zod'
import type { Config } from '../../config.ts'
export { inShort } from '../../host/tools/file-drift.ts'
import type { Drift } from '../../host/contract.ts'
import { listDrift, takeSnapshot } from '../../host/drift.ts'
import { machineOf } from '../../host/machine.ts'
import { sharedDrift } from '../../host/shared.ts'
import { toHostAccount } from '../../model/host-account.ts'
import type { Rebuildable } from '../../model/rebuilds.ts'
import { oneLine } from '../foreign-text.ts'

// A look takes a millisecond in which nothing else is done: a bar would stand still, and what the
// doctor does at the same time would seem to hang.
const looksAtOnce = 20

/** What all accounts share on the machine and is not as it should be. */
export const compareShared = (config: Config): Drift[] => sharedDrift(machineOf(config))

/** Compares the machine with these accounts' rows; tells those that differ. */
export async function compare(
  config: Config,
  accounts: readonly Rebuildable[],
  onLooked: (more: number) => void = () => undefined,
): Promise<Differing[]> {
  const { driftOf } = await takeSnapshot(machineOf(config))
  const look = ({ record, passwordHash }: Rebuildable): Drift[] => {
    try {
      return listDrift(driftOf(toHostAccount(record, passwordHash)))
    } catch (error) {
      if (!(error instanceof ZodError)) throw error
      // A row that the machine must not see; a rebuild would refuse it.
      return [{ sentence: oneLine(`the row does not fit: ${z.prettifyError(error)}`) }]
    }
  }
  const differing: Differing[] = []
  for (let start = 0; start < accounts.length; start += looksAtOnce) {
    const some = accounts.slice(start, start + looksAtOnce)
    for (const one of some) {
      const differences = look(one)
      if (differences.length === 0) continue
      differing.push({ username: oneLine(one.record.username), differences })
    }
    onLooked(some.length)
    await setImmediate()
  }
  return differing
}

export type Differing = { username: string; differences: Drift[] }

/** The differences as a text: of a file the lines that are not the same. */
export function inWords(whose: string, differences: readonly Drift[]): string {
  return differences
    .map(one =>
      'sentence' in one
        ? `${whose}: ${one.sentence}\n`
        : `${whose}: ${one.path}\n${changedLines(one.found, one.expected)}`,
    )
    .join('')
}

// A few lines at most differ, and none is there twice that matters.
function changedLines(found: string | undefined, expected: string): string {
  const [before, after] = [linesOf(found ?? ''), linesOf(expected)]
  const gone = before.filter(line => !after.includes(line)).map(line => `- ${line}\n`)
  const fresh = after.filter(line => !before.includes(line)).map(line => `+ ${line}\n`)
  return [...gone, ...fresh].join('')
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')
