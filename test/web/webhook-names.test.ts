import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

// Two webhooks at one host are distinct wherever one of them is named.

const panel = await openPanel(t)
const { pool } = panel
const admin = await signIn(panel)

const id = (last: number) => `0b1c3c1${last}-7d5c-4a3e-9b1a-00000000000${last}`
const longest = `/hooks/${'a'.repeat(60)}/shop.php?tenant=4711`
const addresses = [
  'https://billing.example/one',
  `https://billing.example${longest}`,
  'https://twice.example/in',
  'https://twice.example/in',
  'https://alone.example/secret',
]
const names = [
  'billing.example/one',
  'billing.example/hooks/aaaaa…aaa/shop.php?tenant=4711',
  `twice.example/in (${id(2).slice(0, 8)})`,
  `twice.example/in (${id(3).slice(0, 8)})`,
  'alone.example',
]
for (const [index, url] of addresses.entries()) {
  await pool.query(
    `insert into panel.webhooks (id, url, secret, created_at)
     values ($1, $2, sha512('x'), now() - interval '1 hour' * $3)`,
    [id(index), url, 9 - index],
  )
}
await pool.query(`
  insert into panel.events (name, data, body) values ('account.created', '{}', '{}')`)
await pool.query(`
  insert into panel.deliveries (
    webhook_id, event_id, state, attempts, queue_job_id, created_at, finished_at)
  select w.id, e.id, 'failed', 3, 1, now(), now() from panel.webhooks w, panel.events e`)

// A browser may break addresses after their slashes.
const shown = async (path: string) => (await admin.get(path)).text.replaceAll('<wbr>', '')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one)

t.test('in the list, the filter and the receivers', async t => {
  const text = await shown('/hooks')
  const filter = /<select[^>]* name="webhook".*?<\/select>/s.exec(text)![0]
  t.strictSame(all(filter, /<option value="0[^>]*>([^<]*)/g), names)
  const cells = all(text, /data-label="Webhook"[^>]*><span title="[^"]*">([^<]*)</g)
  t.strictSame(cells.toSorted(), names.toSorted())
  t.match(text, `title="https://billing.example${longest}"`, 'with all of it')
  const receivers = await shown('/hooks/webhooks')
  t.strictSame(all(receivers, /<td[^>]*><a href="\/hooks\/webhooks\/[^"]*">([^<]*)</g), names)
})

t.test('in headings and sentences', async t => {
  const { rows } = await pool.query(`select id, webhook_id from panel.deliveries`)
  for (const [index, name] of names.entries()) {
    const path = `/hooks/webhooks/${id(index)}`
    t.ok((await admin.get(path)).text.includes(`<title>${name} ·`), name)
    t.ok((await admin.get(`${path}/secret`)).text.includes(`Every request to ${name} is signed`))
    t.ok((await admin.get(`${path}/test`)).text.includes(`It is sent to ${name} with`))
    const delivery = rows.find(({ webhook_id }) => webhook_id === id(index)).id
    const at = `/hooks/deliveries/${delivery}`
    t.equal((await admin.get(at)).text.split(`">${name}</a>`).length, 3, 'its lead and its facts')
    t.ok((await admin.get(`${at}/redeliver`)).text.includes(`will be sent to ${name} again`))
  }
  const { text } = await admin.get('/hooks/deliveries/redeliver')
  for (const name of names) t.ok(text.includes(`account.created to ${name}, `), name)
})

t.test('by their numbers where what a path may hold is not to be seen', async t => {
  const { text } = await admin.get('/overview')
  t.match(text, `>twice.example (${id(2).slice(0, 8)})</span></a>`)
  t.match(text, `>billing.example (${id(0).slice(0, 8)})</span></a>`)
  t.match(text, '>alone.example</span></a>')
  t.notMatch(text, '/one<')
})

t.test('deliveries name a webhook that was removed', async t => {
  await pool.query('update panel.webhooks set removed_at = now() where id = $1', [id(0)])
  const text = await shown('/hooks')
  t.match(text, '>billing.example/one</span>')
  t.notMatch(text, '>billing.example/one</option>')
})
