import { randomUUID } from 'node:crypto'
import t from 'tap'
import { webhookTo } from '../support/courier.ts'
import { openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

// A replaced secret of a webhook stays valid for hours, which its page says and ends.

const panel = await openPanel(t)
const { pool } = panel
const admin = await signIn(panel)
const { id } = await webhookTo(pool, 'https://hooks.example.com/')
const path = `/hooks/webhooks/${id}`
const next = { secret: 'one that comes next', overlap: '24' }
const row = async () =>
  (await pool.query('select secret, previous_secret, previous_until from panel.webhooks')).rows[0]

t.test('the old secret stays for the hours that are chosen', async t => {
  t.match((await admin.get(`${path}/secret`)).text, /Keep the old secret valid/)
  const before = await row()
  t.match(await admin.submit(`${path}/secret`, next), { status: 200 })
  t.match((await admin.get(path)).text, /Old secret[^]*valid until[^]*End now/)
  t.strictSame((await row()).previous_secret, before.secret)
})

t.test('an overlap is ended at once, by the operation of the command line', async t => {
  const end = await admin.submit(`${path}/secret/end`)
  t.match(end, { status: 303, headers: { location: path } })
  t.notMatch((await admin.get(path)).text, 'valid until')
  t.match(await row(), { previous_secret: null, previous_until: null })
  const { rows } = await pool.query('select action, about from panel.history order by id')
  t.strictSame(
    rows.filter(({ about }) => about === id).map(({ action }) => action),
    ['webhook/replace-secret', 'webhook/end-overlap'],
  )
  t.equal((await admin.get(`/hooks/webhooks/${randomUUID()}/secret/end`)).status, 404)
})

t.test('without hours it is gone, and other hours than 0 to 24 are refused', async t => {
  t.match(await admin.submit(`${path}/secret`, { ...next, overlap: '0' }), { status: 200 })
  t.equal((await row()).previous_secret, null)
  for (const overlap of ['-1', '25', '1.5', 'x', '1e1']) {
    const refused = await admin.submit(`${path}/secret`, { ...next, overlap })
    t.match(refused, { status: 422, text: /id="field-overlap-error"/ }, overlap)
    t.notMatch(refused.text, next.secret)
  }
  t.equal((await row()).previous_secret, null)
})
