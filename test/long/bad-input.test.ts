import { join } from 'node:path'
import t from 'tap'
import { testTables } from '../support/api/tables.ts'
import { openPanel } from '../support/panel.ts'

// The tables of bad input that are long: every kind of domain, of attack and of path.

testTables(t, await openPanel(t), join(import.meta.dirname, 'bad-input'))
