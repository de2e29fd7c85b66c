import { readFileSync } from 'node:fs'
import t from 'tap'
import { database } from '../support/database.ts'
import { file, toPage } from './schema-page.ts'

t.test('the diagrams of the schema are up to date', async t => {
  const { pool } = await database(t)
  t.equal(readFileSync(file, 'utf8'), await toPage(pool), 'run `npm run describe:schema`')
})
