import { randomUUID } from 'node:crypto'
import t from 'tap'
import { alice, openPanel } from '../support/panel.ts'
import { signIn, signInAs } from '../support/web/signed-in.ts'

// A list that is requested beyond its last line, as by an old address.

const panel = await openPanel(t)
const { pool, call } = panel
await call('PUT', '/api/v1/packages/starter', { body: {} })
await call('POST', '/api/v1/accounts', { body: alice })
await pool.query(`
  insert into panel.webhooks (url, secret) values ('https://hooks.example/in', sha512('x'))`)
const admin = await signIn(panel)
const customer = await signInAs(panel, 'alice')

t.test('a page beyond the end says so and links to the first page', async t => {
  const unknown = randomUUID()
  const { rows } = await pool.query(
    `select id from panel.operations where key is not null order by created_at limit 1`,
  )
  const oldest = rows[0].id
  const lists: [typeof admin, string, string][] = [
    [admin, `/hooks?after=${unknown}`, '/hooks'],
    [admin, `/hooks?after=${unknown}&state=failed`, '/hooks?state=failed'],
    [admin, `/jobs?after=${oldest}`, '/jobs'],
    [admin, `/jobs?task=site%2Fadd&after=${oldest}`, '/jobs?task=site%2Fadd'],
    [admin, '/history?before=1-1', '/history'],
    [admin, '/history?channel=api&before=1-1', '/history?channel=api'],
    [admin, '/accounts/alice/history?before=1-1', '/accounts/alice/history'],
    [customer, '/account/history?before=1-1', '/account/history'],
  ]
  for (const [who, path, first] of lists) {
    const { status, text } = await who.get(path)
    t.equal(status, 200, path)
    t.match(text, 'Nothing more here', path)
    t.ok(text.includes(`href="${first}">Go to the first page</a>`), `${path} leads to ${first}`)
    t.notMatch(text, /Nothing (was|has|is|fits)|fits</, path)
    t.notMatch((await who.get(first)).text, 'Nothing more here', first)
  }
})
