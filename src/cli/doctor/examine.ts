import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '../../db.ts'
import { hasCode } from '../../host/tools/files.ts'
import type { Remedy } from '../../model/server/remedies.ts'
import { defaultRemedies } from './default-remedies.ts'
import { type Check, type Finding, type DoctorContext, Skip, skipped } from './check.ts'

// Above every limit that a check sets itself: a connection (5 s), a name server (9 s).
const limitMs = 15_000

/** A finding under the name of its check. */
export type Result = {
  name: string
  state: Finding['state']
  sentence: string
  advice: string | null
  /** The fix that was made; the other fields describe the state after it. */
  fixed: string | null
  /** Left out if there are none. */
  remedies?: Remedy[]
}

export type Options = {
  /** Fixes what can be fixed safely. */
  isFixing?: boolean
  /** Called after each check. */
  onDone?: () => void
  limitMs?: number
}

/** Runs all checks at the same time and returns what they found, in their own order. */
export function examine(
  panel: DoctorContext,
  checks: readonly Check[],
  { isFixing = false, onDone = () => undefined, ...options }: Options = {},
): Promise<Result[]> {
  const examineOne = async (check: Check): Promise<Result> => {
    const first = await execute(check, panel, options.limitMs)
    const mended = isFixing && first.fix !== undefined ? await mend(first.fix) : undefined
    const last = mended?.isDone === true ? await execute(check, panel, options.limitMs) : first
    onDone()
    return {
      name: check.name,
      state: last.state,
      sentence: last.sentence,
      advice: mended?.isDone === false ? mended.words : (last.advice ?? null),
      fixed: mended?.isDone === true ? mended.words : null,
      ...remediesOf(check.name, last),
    }
  }
  return Promise.all(checks.map(examineOne))
}

// Returns the finding's own remedies, or else those of its check.
function remediesOf(
  name: string,
  { state, fix, remedies = [] }: Finding,
): Pick<Result, 'remedies'> {
  const own: Remedy[] = fix === undefined ? remedies : [...remedies, { do: 'repair' }]
  if (own.length > 0) return { remedies: own }
  if (state !== 'warning' && state !== 'failure') return {}
  return { remedies: [...(defaultRemedies[name] ?? [])] }
}

async function execute(check: Check, panel: DoctorContext, limit = limitMs): Promise<Finding> {
  const late = new AbortController()
  const given = async () => check.run(panel)
  const slow = sleep(limit, undefined, { signal: late.signal }).then((): Finding =>
    broken(`The check did not finish within ${limit / 1_000} s`),
  )
  try {
    return await Promise.race([given(), slow])
  } catch (error) {
    return toFinding(error, panel)
  } finally {
    late.abort()
    slow.catch(() => undefined)
  }
}

function toFinding(error: unknown, { isRoot }: DoctorContext): Finding {
  if (error instanceof Skip) return skipped(error.message)
  // The migrations have not run: one check reports it for all.
  if (hasCode(error, '42P01', '3F000', '42883')) return skipped('The schema is incomplete')
  if (!isRoot && hasCode(error, 'EACCES', 'EPERM')) return skipped('This user may not read it')
  if (isOutage(error))
    return skipped(`The connection to the database was lost (${messageOf(error)})`)
  return broken(`The check failed: ${messageOf(error)}`)
}

const broken = (sentence: string): Finding => ({
  state: 'failure',
  sentence,
  advice: 'Check what the message names; if that is in order, report this as a bug',
})

async function mend(fix: NonNullable<Finding['fix']>): Promise<{ isDone: boolean; words: string }> {
  try {
    return { isDone: true, words: await fix() }
  } catch (error) {
    return { isDone: false, words: `It could not be fixed: ${messageOf(error)}` }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`)
