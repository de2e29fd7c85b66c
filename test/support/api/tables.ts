import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Panel } from '../panel.ts'
import { type Refusals, refusalsOn } from './refusals.ts'

/** A test of each table of bad input in a folder; each starts as if the panel were a new one. */
export function testTables(t: Test, panel: Panel, folder: string): void {
  for (const file of readdirSync(folder).sort()) {
    void t.test(file.replace(/\.ts$/, ''), async t => {
      const table = (await import(join(folder, file))) as {
        default: (t: Test, refusals: Refusals) => Promise<void>
      }
      await table.default(t, await refusalsOn(panel))
    })
  }
}
