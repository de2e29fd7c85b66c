import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { openPanel } from '../support/panel.ts'
import { cookieOf } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

// Forms whose work is no operation: sent twice, they do it once.

const panel = await openPanel(t)
const { pool } = panel
const password = 'correct horse'
await addOperator(pool, {
  name: 'boss',
  role: 'administrator',
  email: 'boss@example.com',
  password,
})
const boss = await signIn(panel, 'boss')
const countOf = async (from: string) =>
  Number((await pool.query(`select count(*) from panel.${from}`)).rows[0].count)
const tokenIn = (text: string) => /pnl_[\w-]{43}/.exec(text)?.[0]
const newToken = { name: 'Billing', permission: 'Provisioning only', current: password }

t.test('a token that is asked for twice is one, and shown both times', async t => {
  const key = crypto.randomUUID()
  const send = () => boss.submit('/my-account/tokens/new', newToken, { key })
  const pages = [...(await Promise.all([send(), send(), send()])), await send()]
  const [first] = pages
  t.ok(tokenIn(first!.text))
  for (const page of pages) t.match(page, { status: 200, text: tokenIn(first!.text) })
  t.equal(await countOf(`tokens where name = 'Billing'`), 1)
  t.equal(await countOf(`history where action = 'token/create'`), 1)
  const { rows } = await pool.query(
    `select encode(reply, 'escape') as reply from panel.form_answers where key = $1`,
    [key],
  )
  t.notMatch(rows[0].reply, 'pnl_', 'sealed')

  const again = await boss.submit('/my-account/tokens/new', newToken)
  t.not(tokenIn(again.text), tokenIn(first!.text), 'a form that is drawn again makes another')
  const other = await signIn(panel, 'boss')
  const strange = await other.submit('/my-account/tokens/new', newToken, { key })
  t.not(tokenIn(strange.text), tokenIn(first!.text), 'a key is one session’s')
})

t.test('under one key other words are refused, and change nothing', async t => {
  const key = crypto.randomUUID()
  await boss.submit('/my-account/tokens/new', { ...newToken, name: 'First' }, { key })
  const second = { ...newToken, name: 'Second' }
  const refused = await boss.submit('/my-account/tokens/new', second, { key })
  t.equal(refused.status, 422)
  t.match(refused.text, 'already sent with other values')
  t.equal(await countOf(`tokens where name = 'Second'`), 0)
})

t.test('a refused form may be sent again, and has reserved nothing', async t => {
  const key = crypto.randomUUID()
  const owner = { name: 'shop', email: 'shop@example.com', password: 'battery staple' }
  const wrong = await boss.submit('/resellers/new', { ...owner, current: 'no' }, { key })
  t.equal(wrong.status, 422)
  const right = { ...owner, current: password }
  const both = await Promise.all([1, 2].map(() => boss.submit('/resellers/new', right, { key })))
  for (const page of both)
    t.match(page, { status: 303, headers: { location: '/resellers/shop/plan' } })
  const taken = await boss.submit('/resellers/new', right)
  t.equal(taken.status, 422, 'its name is taken now')
  t.equal(await countOf(`history where action = 'operator/add' and about like 'shop%'`), 1)
})

t.test('a new password that is sent twice is no wrong one the second time', async t => {
  const key = crypto.randomUUID()
  const fields = { current: password, password: 'staple battery' }
  const first = await boss.submit('/my-account/password', fields, { key })
  t.match(first, { status: 303, headers: { location: '/my-account' } })
  const reload = await boss.submit('/my-account/password', fields, { key })
  t.match(reload, { status: 303, headers: { location: '/my-account' } })
  t.equal((await boss.get('/my-account')).status, 200)
})

t.test('one of several submits is executed, and its answer stays', async t => {
  const webhook = crypto.randomUUID()
  const { rows } = await pool.query<{ id: string }>(
    `with made as (
       insert into panel.webhooks (id, url, secret, events)
       values ($1, 'https://billing.example.com/', sha512('x'), null)
     ), event as (
       insert into panel.events (name, body, data) values ('site.created', '{}', '{}') returning id
     )
     insert into panel.deliveries (webhook_id, event_id, state, attempts, queue_job_id, due_at,
       finished_at)
     select $1, id, state, 1, 1, now() + interval '1 hour', case state when 'failed' then now() end
     from event, unnest(array['failed', 'failed', 'due']) state
     returning id`,
    [webhook],
  )
  const [one, two, due] = rows.map(({ id }) => id)
  const key = crypto.randomUUID()
  const send = (id: string[]) => boss.submit('/hooks/deliveries/redeliver', { id }, { key })
  const none = await send([due!])
  t.match(none, { status: 422, text: /Nothing was changed: .* is still in progress/ })
  const partly = await send([one!, due!, two!])
  t.match(partly, { status: 303, headers: { location: /^\/jobs\/retried\?at=\d+$/ } })
  const output = cookieOf(partly)
  const { text } = await boss.get('/hooks', { cookie: `${boss.cookie}; ${output}` })
  const notice = /<div class="notice warn".*?<\/div>/s.exec(text)?.[0]
  t.match(notice, `Sent again 2 times, 1 not: The delivery ${due} is still in progress.`)
  t.equal(cookieOf(await send([one!, due!, two!])), output, 'a reload shows the same')
  t.equal(await countOf(`deliveries where redelivery_of in ('${one}', '${two}')`), 2)
  t.equal(await countOf(`history where action = 'delivery/redeliver'`), 2)
})

t.test('the results of forms are kept for a day', async t => {
  await pool.query(`update panel.form_answers set created_at = now() - interval '25 hours'`)
  await pool.query('select panel.purge(1000)')
  t.equal(await countOf('form_answers'), 0)
})
