import { setImmediate } from 'node:timers/promises'
import { z, ZodError } from 'zod'
import type { Config } from '../../config.ts'
export { inShort } from '../../host/tools/file-drift.ts'
import type { Drift } from '../../host/contract.ts'
import { listDrift, takeSnapshot } from '../../host/drift.ts'
import { machineOf } from '../../host/machine.ts'
import { sharedDrift } from '../../host/shared.ts'
import { toHostAccount } from '../../model/accounts/host-account.ts'
import type { Rebuildable } from '../../model/jobs/rebuilds.ts'
import { oneLine } from '../foreign-text.ts'

// Each comparison blocks for a millisecond; after so many, timers run: the progress bar and the
// limits of the doctor's other checks.
const comparedAtOnce = 20

/** Returns the drift of everything that all accounts share on the machine. */
export const compareShared = (config: Config): Drift[] => sharedDrift(machineOf(config))

/** Compares the machine with the rows of these accounts; returns those that differ. */
export async function compare(
  config: Config,
  accounts: readonly Rebuildable[],
  onCompared: (more: number) => void = () => undefined,
): Promise<Differing[]> {
  const { driftOf } = await takeSnapshot(machineOf(config))
  const compareOne = ({ record, ...secrets }: Rebuildable): Drift[] => {
    try {
      return listDrift(driftOf(toHostAccount(record, secrets)))
    } catch (error) {
      if (!(error instanceof ZodError)) throw error
      // An invalid row: a rebuild would refuse it, too.
      return [{ sentence: oneLine(`the row does not fit: ${z.prettifyError(error)}`) }]
    }
  }
  const differing: Differing[] = []
  for (let start = 0; start < accounts.length; start += comparedAtOnce) {
    const some = accounts.slice(start, start + comparedAtOnce)
    for (const one of some) {
      const differences = compareOne(one)
      if (differences.length === 0) continue
      differing.push({ username: oneLine(one.record.username), differences })
    }
    onCompared(some.length)
    await setImmediate()
  }
  return differing
}

type Differing = { username: string; differences: Drift[] }

/** Returns the differences as text; of a file its changed lines. */
export function inWords(whose: string, differences: readonly Drift[]): string {
  return differences
    .map(one =>
      'sentence' in one
        ? `${whose}: ${one.sentence}\n`
        : `${whose}: ${one.path}\n${changedLines(one.found, one.expected)}`,
    )
    .join('')
}

// Enough of a diff for the short files of an account, in which no line repeats.
function changedLines(found: string | undefined, expected: string): string {
  const [before, after] = [linesOf(found ?? ''), linesOf(expected)]
  const gone = before.filter(line => !after.includes(line)).map(line => `- ${line}\n`)
  const fresh = after.filter(line => !before.includes(line)).map(line => `+ ${line}\n`)
  return [...gone, ...fresh].join('')
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')
