import { styleText } from 'node:util'
import { type Display, plain } from '../columns.ts'
import { oneLine } from '../foreign-text.ts'
import { wrap } from '../text-width.ts'
import { count } from './check.ts'
import type { Result } from './examine.ts'

/** The results of all checks. */
export type Report = { checks: Result[]; counts: Record<Result['state'], number> }

export function toReport(checks: Result[]): Report {
  const of = (state: Result['state']) => checks.filter(check => check.state === state).length
  return {
    checks,
    counts: {
      ok: of('ok'),
      warning: of('warning'),
      failure: of('failure'),
      skipped: of('skipped'),
    },
  }
}

/** Returns 0 if all is well, 1 for warnings, 2 for failures. */
export const exitCodeOf = ({ counts }: Report): 0 | 1 | 2 =>
  counts.failure > 0 ? 2 : counts.warning > 0 ? 1 : 0

/** Returns the report without checks that are well or were skipped; its counts stay. */
export const problemsOf = ({ checks, counts }: Report): Report => ({
  checks: checks.filter(({ state }) => state === 'warning' || state === 'failure'),
  counts,
})

/** Returns the report for people, grouped: a line for each check, with the advice below it. */
export function inWords({ checks }: Report, display: Display = plain): string {
  const groups = Map.groupBy(checks, ({ name }) => name.split('/')[0] ?? '')
  return [...groups]
    .map(([group, own]) => `${group}\n${own.map(one => linesOf(one, display)).join('')}`)
    .join('\n')
}

const marks: Record<Result['state'], [text: string, colour: 'green' | 'yellow' | 'red' | 'dim']> = {
  ok: ['ok', 'green'],
  warning: ['WARNING', 'yellow'],
  failure: ['FAILURE', 'red'],
  skipped: ['-', 'dim'],
}

const indent = ' '.repeat(11)

function linesOf({ name, state, sentence, advice, fixed }: Result, display: Display): string {
  const [mark, colour] = marks[state]
  const text = mark.padEnd(7)
  const shown = display.hasColors ? styleText(colour, text, { validateStream: false }) : text
  const lines = [
    `${name.split('/')[1] ?? name}: ${oneLine(sentence)}`,
    ...(fixed === null ? [] : [`done: ${oneLine(fixed)}`]),
    ...(advice === null ? [] : [`do: ${oneLine(advice)}`]),
  ].flatMap(line => wrap(line, display.columns - indent.length))
  return lines.map((line, at) => `${at === 0 ? `  ${shown}  ` : indent}${line}\n`).join('')
}

/** Returns the counts in one sentence. */
export function summary({ counts }: Report): string {
  const { ok, warning, failure, skipped } = counts
  const all = ok + warning + failure + skipped
  return `${count(all, 'check')}: ${ok} well, ${count(warning, 'warning')}, \
${count(failure, 'failure')}, ${skipped} skipped`
}
