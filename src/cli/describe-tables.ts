import { readFileSync, writeFileSync } from 'node:fs'
import { describeEvents } from '../model/events/event-meanings.ts'
import { withTable } from '../model/grammar/markdown-table.ts'
import { groups } from './doctor/checks.ts'
import { remedyMeanings } from './doctor/remedy-meanings.ts'

// Generates the tables of events, checks and remedies in the reference: `npm run describe` writes
// them, a test compares.

const code = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ')

const withEvents = (page: string): string =>
  withTable(
    page,
    ['Event', 'When', '`data`'],
    describeEvents().map(({ name, when, fields }) => [code([name]), when, code(fields)]),
  )

const withChecks = (page: string): string =>
  withTable(
    page,
    ['Group', 'About', 'Checks'],
    [
      ['`settings`', 'whether the settings can be read', '`readable`'],
      ...Object.entries(groups).map(([group, { about, checks }]) => [
        ...[code([group]), about, code(Object.keys(checks))],
      ]),
    ],
  )

const withRemedies = (page: string): string =>
  withTable(
    page,
    ['Remedy', 'Does'],
    Object.entries(remedyMeanings).map(([name, meaning]) => [code([name]), meaning]),
  )

/** The pages with such tables, and what writes them. */
export const tables: Record<string, (page: string) => string> = {
  'docs/reference/events-and-webhooks.md': withEvents,
  'docs/reference/doctor.md': page => withRemedies(withChecks(page)),
}

if (import.meta.main) {
  for (const [file, write] of Object.entries(tables)) {
    writeFileSync(file, write(readFileSync(file, 'utf8')))
  }
}
