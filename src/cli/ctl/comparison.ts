import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z, ZodError } from 'zod'
import type { Config } from '../../config.ts'
import { differencesOf, type Difference } from '../../host/differences.ts'
import { openMachine } from '../../host/machine.ts'
import { lookAround } from '../../host/sight.ts'
import { toHostAccount } from '../../model/host-account.ts'
import type { Rebuildable } from '../../model/rebuilds.ts'
import { oneLine } from '../foreign-text.ts'

// A look takes a millisecond in which nothing else is done: a bar would stand still, and what the
// doctor does at the same time would seem to hang.
const looksAtOnce = 20

/** Compares the machine with these accounts' rows; tells those that differ. */
export async function compare(
  { host, stateDir }: Config,
  accounts: readonly Rebuildable[],
  onLooked: (more: number) => void = () => undefined,
): Promise<Differing[]> {
  const machine = openMachine({ kind: host, root: host === 'linux' ? '/' : join(stateDir, 'host') })
  const sight = await lookAround(machine)
  const look = ({ record, passwordHash }: Rebuildable): Difference[] => {
    try {
      const found = differencesOf(machine, toHostAccount(record, passwordHash), sight)
      return [...found.others, ...found.php, ...found.vhosts]
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

export type Differing = { username: string; differences: Difference[] }

/** The differences as a text: of a file the lines that are not the same. */
export function inWords({ username, differences: all }: Differing): string {
  return all
    .map(one =>
      'sentence' in one
        ? `${username}: ${one.sentence}\n`
        : `${username}: ${one.path}\n${changedLines(one.found, one.expected)}`,
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
