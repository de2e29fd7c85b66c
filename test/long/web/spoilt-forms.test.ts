import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { fill } from '../../../src/web/addresses.ts'
import type { Fields } from '../../../src/web/fields.ts'
import { pages } from '../../../src/web/pages.ts'
import { isFull } from '../../support/full.ts'
import { openPanel } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { visit, type Page } from '../../support/web/browser.ts'
import { open, stage, stateOf, type Asked } from '../../support/web/every-form.ts'

// Every field of every form with values that no user would type: invalid ones are refused with a
// sentence and change nothing, and none of them comes back as markup.

const panel = await openPanel(t)
const asked = await stage(panel)
const { pool } = panel

// In place of a field that is not sent at all.
const missing = undefined

const spoilt = [
  missing,
  '',
  ' \t ',
  '<script>alert(1)</script>',
  `"'><img src=x onerror=alert(1)>`,
  'javascript:alert(1)',
  `'; drop table panel.accounts; --`,
  '$(touch /tmp/planted)`id`|&;',
  '../../../etc/passwd',
  'a\r\nSet-Cookie: planted=1',
  '\u202eright to left\u202c\u001b[2J\ufffe',
  '\ud800 half of a pair',
  'nothing\0after',
  '-1',
  '0.5',
  '1e309',
  '99999999999999999999',
  '__proto__',
  '<%= it %>',
  '%00%ff',
  'é'.repeat(300),
  'x'.repeat(20_000),
  '9'.repeat(400),
  'm'.repeat(1_048_576),
]

// Valid values for the other fields, as far as they may be sent repeatedly.
const fitting: Record<string, string> = {
  ...{ username: 'fresh', email: 'fresh@example.com', password: 'a password of it' },
  ...{ name: 'fresh', package: 'starter', domain: 'fresh.example', reason: 'unpaid' },
  ...{ max_sites: '1', disk_mb: '1024', memory_mb: '64', cpu_percent: '10', max_accounts: '1' },
  ...{ url: 'https://fresh.example/', event: 'account.created', code: '000000' },
}

const filled = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { example }]) => [name, fitting[name] ?? example ?? '']),
  )

// A form validates its fields in the same way for every role.
const isFirst = (one: Asked) => asked.find(({ page }) => page === one.page) === one

// Each field meets some of them, every value some of the fields, and all meet all in the long form.
let met = 0
const isChosen = () => isFull || met++ % 5 === 0

const calm = () =>
  until(async () => {
    const { rowCount } = await pool.query(
      `select from panel.operations where state not in ('done', 'failed')`,
    )
    return rowCount === 0
  })

// Limits of their own, which are not what this is about.
const forget = () =>
  pool.query('delete from panel.session_writes; delete from panel.sign_in_attempts')

const isSignIn = ({ headers }: Page) => /^\/sign-in/.test(headers.location ?? '')

// Returns the faults of any answer.
function faultsOf({ status, headers, text }: Page): string[] {
  const faults: string[] = []
  const isLack = status === 503 && text.includes('Adminer is not installed on this server')
  const isKnown = [200, 303, 400, 402, 403, 404, 409, 413, 422].includes(status) || isLack
  if (!isKnown) faults.push('no such answer')
  const isPage = /^text\/html/.test(headers['content-type'] ?? '')
  if (status !== 303 && !isPage) faults.push('no page')
  if (status >= 400 && !/[a-z]+ [a-z]+/.test(text)) faults.push('no sentence')
  if (/<script(?! src="\/assets\/)|<img|<%=/.test(text)) faults.push('markup')
  if (/planted=/.test(String(headers['set-cookie']))) faults.push('a planted cookie')
  return faults
}

type State = Awaited<ReturnType<typeof stateOf>>

/** The parts of the state that are not as they were; a refusal has an operation too. */
const changed = (before: State, after: State): string[] =>
  Object.keys(after).filter(
    name => name !== 'operations' && !isDeepStrictEqual(after[name], before[name]),
  )

t.test('no field of any form takes what does not fit, or shows it as markup', async t => {
  const sent: Record<number, number> = {}
  const wrong: string[] = []
  for (const { role, path, page, fields } of asked.filter(isFirst)) {
    let person = await open(panel, role)
    // A form that asks for a name to be typed must not be executed; in others the word means
    // nothing.
    const base: Record<string, string> = { ...filled(fields), confirm: 'x' }
    // Without fields a form does what it says, and that is no bad input.
    const names = Object.keys(fields)
    if (page.path.endsWith('/terminate')) names.push('confirm')
    let before = await stateOf(panel)
    for (const name of names) {
      for (const value of spoilt.filter(isChosen)) {
        const { [name]: usual, ...others } = base
        const result = value === undefined ? others : { ...others, [name]: value }
        let answer = await person.submit(path, result)
        if (isSignIn(answer)) {
          // An earlier request has ended its own session.
          person = await open(panel, role)
          before = await stateOf(panel)
          answer = await person.submit(path, result)
        }
        const { status, text } = answer
        sent[status] = (sent[status] ?? 0) + 1
        const faults = faultsOf(answer)
        const isSecret = fields[name]?.kind === 'password' && (value ?? '').length > 9
        if (isSecret && text.includes(value!)) faults.push('a password is shown again')
        await calm()
        const after = await stateOf(panel)
        if (status >= 400) faults.push(...changed(before, after).map(part => `changes ${part}`))
        if (isSignIn(answer)) faults.push('the session is over')
        else if (status === 303) {
          faults.push(...faultsOf(await person.get(answer.headers.location!)))
        }
        before = after
        for (const fault of faults) {
          const shown = JSON.stringify(value?.slice(0, 40))
          wrong.push(`${page.path}, ${name} ${shown}: ${status}, ${fault}`)
        }
        await forget()
      }
    }
    // A reason may say anything.
    await panel.call('POST', '/api/v1/accounts/alice/unsuspend', { body: {} })
  }
  t.strictSame(wrong, [])
  t.comment(JSON.stringify(sent))
  t.ok((sent[422] ?? 0) > (sent[303] ?? 0), 'most are refused')
})

t.test('signing in takes nothing else either', async t => {
  const here = { origin: 'https://panel.test:8443', 'sec-fetch-site': 'same-origin' }
  const headers = { ...here, 'content-type': 'application/x-www-form-urlencoded' }
  for (const path of ['/sign-in', '/sign-in/code']) {
    for (const name of ['username', 'password', 'code', 'to']) {
      for (const value of spoilt) {
        const result = new URLSearchParams({ username: 'boss', password: 'not of it' })
        if (value === missing) result.delete(name)
        else result.set(name, value)
        const sent = { method: 'POST', headers, body: result.toString() }
        const answer = await visit(`${panel.baseUrl}${path}`, sent)
        t.strictSame(faultsOf(answer), [], `${path}, ${name} ${value?.slice(0, 40)}`)
        if (answer.status === 303) t.match(answer.headers.location, /^\/sign-in(\?to=%2F[^%\/]|$)/)
        await forget()
      }
    }
  }
})

const openAll = async () => ({
  administrator: await open(panel, 'administrator'),
  reseller: await open(panel, 'reseller'),
  customer: await open(panel, 'customer'),
})

t.test('no address of any page leads anywhere by what its names say', async t => {
  const named = pages.filter(({ path }) => path.includes(':'))
  const people = await openAll()
  const before = await stateOf(panel)
  for (const { path, roles, post } of named) {
    const person = people[roles[0]!]
    for (const value of spoilt.filter(isChosen)) {
      // An address has no empty part, and a client sends none that is so long.
      if (value === undefined || value === '' || value.length > 1_000) continue
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      const address = fill(path, Object.fromEntries(names.map(name => [name, toWell(value)])))
      const what = `${path} ${value.slice(0, 40)}`
      const seen = await person.get(address)
      t.strictSame(faultsOf(seen), [], what)
      t.equal(seen.status, 404, what)
      if (post !== undefined) {
        const answer = await person.submit(address, { confirm: value })
        t.strictSame(faultsOf(answer), [], what)
        t.ok(answer.status >= 400, what)
        await forget()
      }
    }
  }
  await calm()
  t.strictSame(changed(before, await stateOf(panel)), [])
})

// The queries of lists and searches.
const words = `q state sort page before after task account who action channel since until delivery
  webhook event then to package seller live cursor limit`.split(/\s+/)

t.test('no page follows an address in its query', async t => {
  const people = await openAll()
  const before = await stateOf(panel)
  const lists = pages.filter(({ path }) => !path.includes(':') && !/\.(csv|json)$/.test(path))
  for (const { path, roles } of lists) {
    const person = people[roles[0]!]
    for (const word of words) {
      const value = spoilt[met++ % spoilt.length]
      if (value === undefined || value.length > 1_000) continue
      const answer = await person.get(`${path}?${new URLSearchParams({ [word]: value })}`)
      t.strictSame(faultsOf(answer), [], `${path} ${word} ${value.slice(0, 40)}`)
    }
  }
  t.strictSame(changed(before, await stateOf(panel)), [])
})

// `encodeURIComponent` takes no half of a pair.
const toWell = (value: string) => value.toWellFormed()

t.test('each form may be sent twice, as from two tabs', async t => {
  for (const { role, path, page, fields } of asked.filter(isFirst)) {
    const person = await open(panel, role)
    const base = filled(fields)
    const both = await Promise.all([person.submit(path, base), person.submit(path, base)])
    for (const answer of both) {
      t.strictSame(faultsOf(answer), [], `${page.path} of a ${role}: ${answer.status}`)
    }
    await calm()
    await forget()
  }
})
