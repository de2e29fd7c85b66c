import pg from 'pg'
import t from 'tap'
import { whyForeign } from '../../src/install/foreign-database.ts'
import { address, database } from '../support/database.ts'

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

async function ask(name: string, statement: string): Promise<string> {
  const client = new pg.Client({ connectionString: address(name, 'postgres') })
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' })
    return rows.map(row => `${String(row[0] ?? '')}\n`).join('')
  } finally {
    await client.end()
  }
}

t.test('a database of another program is named, and stays as it is', async t => {
  const { url, pool } = await database(t, 'template1')
  const name = nameOf(url)
  await pool.query(`alter database ${name} owner to postgres; create table bills (id integer)`)
  t.match(
    await whyForeign(ask, name),
    /already has a database \w+, owned by postgres, that is not the panel's: .* was not changed$/,
  )
  // One of theirs may be called as one of the panel's.
  await pool.query('create schema panel; create table panel.channels (id integer)')
  t.match(await whyForeign(ask, name), /is not the panel's/)
})

t.test("the panel's own is accepted, as is a free name", async t => {
  t.equal(await whyForeign(ask, 'nobody_has_it'), undefined)
  const { url } = await database(t, 'template1')
  t.equal(await whyForeign(ask, nameOf(url)), undefined, 'made, and not migrated yet')
  const restored = await database(t)
  await restored.pool.query(`alter database ${nameOf(restored.url)} owner to postgres`)
  t.equal(await whyForeign(ask, nameOf(restored.url)), undefined, 'restored by hand')
})
