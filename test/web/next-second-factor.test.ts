import { randomUUID } from 'node:crypto'
import { TOTP } from 'otpauth'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { alice } from '../support/panel.ts'
import { openWeb } from '../support/web/browser.ts'
import { form, openBrowser, type Browser } from '../support/web/person.ts'

// Another second factor in place of one that is in use.

const { panel } = await openWeb(t)
const { pool } = panel
const password = 'a password of it'
await addOperator(pool, { name: 'boss', role: 'administrator', email: 'b@example.com', password })

async function signedIn(username: string, entered: string): Promise<Browser> {
  const person = openBrowser(panel.baseUrl)
  await person.submit('/sign-in', { username, password: entered })
  return person
}

/** Sends a form of a page that is drawn first. */
async function send(person: Browser, path: string, fields: Record<string, string> = {}) {
  const page = await person.get(path)
  return person.submit(path, { ...form(page), ...fields })
}

const secretIn = (text: string) => /data-copy="([A-Z2-7]{32})"/.exec(text)![1]!
const codeOf = (secret: string) => new TOTP({ secret }).generate()

for (const [name, base, entered] of [
  ['boss', '/my-account', password],
  ['alice', '/account/security', alice.password],
] as const) {
  t.test(`${name} replaces the second factor, where it is demanded too`, async t => {
    const one = await signedIn(name, entered)
    const path = `${base}/second-factor/replace`
    const none = await send(one, path, { current: entered })
    t.match(none, { status: 422, text: /Two-factor authentication is not set up/ })
    await send(one, `${base}/second-factor`, { current: entered })
    const first = secretIn((await one.get(`${base}/second-factor/set-up`)).text)
    await send(one, `${base}/second-factor/set-up`, { code: codeOf(first) })
    await pool.query('update panel.server set demands_second_factor = true')
    t.match((await one.get(base)).text, `${base}/second-factor/replace`)
    // Its next sign-in takes the code of this moment.
    const signIn = async () => {
      await pool.query('update panel.second_factors set last_step = 0')
      const again = openBrowser(panel.baseUrl)
      await again.submit('/sign-in', { username: name, password: entered })
      return { again, enter: (code: string) => again.submit('/sign-in/code', { code }) }
    }
    const other = await signIn()
    t.equal((await other.enter(codeOf(first))).status, 303)

    t.equal((await one.get(`${path}/set-up`)).status, 404, 'nothing before the password')
    t.match(await send(one, path, { current: 'wrong password' }), {
      status: 422,
      text: /This is not your password/,
    })
    t.equal((await one.get(`${path}/set-up`)).status, 404)
    await send(one, path, { current: entered })
    const left = secretIn((await one.get(`${path}/set-up`)).text)
    const begun = await send(one, path, { current: entered })
    t.equal(begun.headers.location, `${path}/set-up`)
    const page = await one.get(`${path}/set-up`)
    const secret = secretIn(page.text)
    for (const wrong of [codeOf(first), codeOf(left)]) {
      const refused = await send(one, `${path}/set-up`, { code: wrong })
      t.match(refused, { status: 422, text: /This code is not valid right now/ })
      t.equal(secretIn(refused.text), secret, 'a tab that is behind shows what is to be confirmed')
    }
    t.equal((await other.again.get(base)).status, 200, 'nothing ends before')
    t.equal((await (await signIn()).enter(codeOf(first))).status, 303, 'the first is still good')

    const fields = { ...form(page), code: codeOf(secret), key: randomUUID() }
    const done = await one.submit(`${path}/set-up`, fields)
    const codes = [...new Set(done.text.match(/[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/g))]
    t.equal(codes.length, 10)
    t.equal((await one.submit(`${path}/set-up`, fields)).text, done.text, 'a reload')
    t.equal((await send(one, `${path}/set-up`, { code: codeOf(secret) })).status, 404)
    t.equal((await one.get(base)).status, 200)
    t.equal((await other.again.get(base)).status, 303, 'all others end')
    const later = await signIn()
    t.equal((await later.enter(codeOf(first))).status, 422)
    t.equal((await later.enter(codeOf(secret))).status, 303)
    const history = base === '/my-account' ? '/history' : '/account/history'
    t.match((await one.get(history)).text, 'Replace the authenticator app')
    await pool.query('update panel.server set demands_second_factor = false')
    await pool.query('delete from panel.second_factors')
  })
}
