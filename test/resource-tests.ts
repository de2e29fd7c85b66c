import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import type { Role } from '../src/web/page.ts'
import type { DebianMachine } from './machine/debian-machine.ts'
import type { Say } from './machine/every-command.ts'
import type { Client } from './machine/installed.ts'

// Tests that go through everything need entries of each resource: its file in test/resources/
// exports them as `tests`.

export type ResourceTests = {
  /** The meaning of the word before a name in an address, for forms and screenshots. */
  things?: (role: Role) => Record<string, string>
  /** Commands that ask, by the paths of their files, with words for one that would do it. */
  asking?: Record<string, (panel: (...words: string[]) => Promise<unknown>) => Promise<string[]>>
  /** Commands of an installed panel, by their names: each finds what it needs of those before. */
  commands?: (account: string) => Record<string, (say: Say) => Promise<unknown>>
  /** Its operations by the API of an installed panel, for those that no command does. */
  showApi?: (machine: DebianMachine, client: Client, account: string) => Promise<void>
  /** Rows for the screenshots. */
  stage?: (pool: pg.Pool) => Promise<void>
}

const folder = join(import.meta.dirname, 'resources')

/** The tests of all resources. */
export const resourceTests: readonly ResourceTests[] = await Promise.all(
  readdirSync(folder)
    .filter(name => name.endsWith('.ts'))
    .sort()
    .map(async name => ((await import(join(folder, name))) as { tests: ResourceTests }).tests),
)

/** One table of what each of them brings to one of these. */
export const fromResources = <Value>(
  pick: (tests: ResourceTests) => Record<string, Value> | undefined,
): Record<string, Value> => Object.assign({}, ...resourceTests.map(pick))
