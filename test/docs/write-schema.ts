import { writeFileSync } from 'node:fs'
import t from 'tap'
import { database } from '../support/database.ts'
import { file, toPage } from './schema-page.ts'

// `npm run describe:schema` writes the page of the schema; schema.test.ts compares it.

t.test('writes docs/schema.md', async t => {
  const { pool } = await database(t)
  writeFileSync(file, await toPage(pool))
})
