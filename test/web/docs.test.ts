import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { openPanel } from '../support/panel.ts'
import { visit } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

const panel = await openPanel(t)
const get = (path: string) => visit(`${panel.baseUrl}${path}`, {})
const file = join(import.meta.dirname, '../../provisioning-openapi.yaml')
const description = await readFile(file, 'utf8')

t.test('the API reference shows every call of the OpenAPI file', async t => {
  const contents = await get('/docs')
  t.equal(contents.status, 200)
  t.match(contents.headers['content-security-policy'], /^default-src 'none'/)
  t.match(contents.text, 'https://panel.test:8443/api/v1')
  const links = new Set(
    [...contents.text.matchAll(/href="(\/docs\/[a-z-]+)"/g)].map(([, to]) => to),
  )
  const pages = await Promise.all([...links].map(to => get(to!)))
  const whole = pages.map(({ text }) => text).join('\n')
  const ids = [
    ...description.split('\nx-webhooks:')[0]!.matchAll(/^ +operationId: "(\w+)"$/gm),
  ].map(([, id]) => id!)
  t.ok(ids.length > 20)
  for (const id of ids) {
    t.match(whole, `id="${id}"`, id)
    t.match(contents.text, `#${id}"`, `a link to ${id}`)
  }
  t.match(whole, /curl -X POST https:\/\/panel\.test:8443\/api\/v1\/accounts\/alice\/suspend /)
  t.match(whole, /<code>domain<\/code>/, 'marked words are code')
  t.notMatch(whole, 'undefined')
  t.notMatch(whole, '[object')
  t.equal((await get('/docs/nothing')).status, 404)
})

t.test('the page of API tokens has what a program needs', async t => {
  const admin = await signIn(panel)
  const { text } = await admin.get('/my-account/tokens')
  t.match(text, 'data-copy="https://panel.test:8443/api/v1"')
  t.match(text, 'href="/docs"')
  t.match(text, 'https://panel.test:8443/api/v1/token')
})

t.test('a token expires after some days, on a day, or never', async t => {
  const password = 'correct horse'
  await addOperator(panel.pool, {
    ...{ name: 'boss', role: 'administrator', email: 'boss@example.com', password },
  })
  const boss = await signIn(panel, 'boss')
  const create = (name: string, fields: Record<string, string>) =>
    boss.submit('/my-account/tokens/new', {
      ...{ name, permission: 'Read events', current: password },
      ...fields,
    })
  const refused: [Record<string, string>, RegExp][] = [
    [{ lifetime: 'day' }, /field-expires-error">Enter the day/],
    [{ lifetime: '30', expires: '2099-01-01' }, /field-lifetime-error">Choose “On a day”/],
    [{ lifetime: '31' }, /field-lifetime-error"/],
    [{ lifetime: 'day', expires: '2001-01-01' }, /must be in the future/],
    [{ lifetime: 'day', expires: '<b>' }, /must be a day/],
  ]
  for (const [fields, sentence] of refused) {
    const page = await create('refused', fields)
    t.equal(page.status, 422)
    t.match(page.text, sentence)
  }
  const lives: [Record<string, string>, RegExp | null][] = [
    [{ lifetime: 'never' }, null],
    [{ lifetime: '90' }, /^89|90 days/],
    [{ lifetime: 'day', expires: '2099-01-01' }, /days/],
  ]
  for (const [fields, expected] of lives) {
    const name = JSON.stringify(fields)
    const { status, text } = await create(name, fields)
    t.equal(status, 200, name)
    t.match(text, /pnl_[\w-]{43}/)
    t.match(text, 'read -r TOKEN; stty echo')
    t.notMatch(text, /Bearer pnl_/, 'no command to paste contains it')
    const { rows } = await panel.pool.query<{ left: string | null }>(
      `select (expires_at - now())::text as left from panel.tokens where name = $1`,
      [name],
    )
    if (expected === null) t.equal(rows[0]!.left, null)
    else t.match(rows[0]!.left, expected)
  }
})
