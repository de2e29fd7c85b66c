import { oneLine } from '../foreign-text.ts'
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

/** 0 well, 1 warnings, 2 failures. */
export const exitCodeOf = ({ counts }: Report): 0 | 1 | 2 =>
  counts.failure > 0 ? 2 : counts.warning > 0 ? 1 : 0

/** The report for people, grouped: a line for each check, and below it what to do. */
export function inWords({ checks }: Report): string {
  const groups = Map.groupBy(checks, ({ name }) => name.split('/')[0] ?? '')
  return [...groups].map(([group, own]) => `${group}\n${own.map(lineOf).join('')}`).join('\n')
}

const marks: Record<Result['state'], string> = {
  ok: 'ok     ',
  warning: 'WARNING',
  failure: 'FAILURE',
  skipped: '-      ',
}

const indent = ' '.repeat(11)

function lineOf({ name, state, sentence, advice, fixed }: Result): string {
  const what = name.split('/')[1] ?? name
  return [
    `  ${marks[state]}  ${what}: ${oneLine(sentence)}\n`,
    ...(fixed === null ? [] : [`${indent}done: ${oneLine(fixed)}\n`]),
    ...(advice === null ? [] : [`${indent}do: ${oneLine(advice)}\n`]),
  ].join('')
}

/** The counts in one sentence. */
export function summary({ checks, counts }: Report): string {
  const { ok, warning, failure, skipped } = counts
  return `${checks.length} checks: ${ok} well, ${warning} warnings, ${failure} failures, \
${skipped} not looked at`
}
