import t, { type Test } from 'tap'
import { findSession, openAccountSession } from '../../../src/model/signing-in/sessions.ts'
import type { Role } from '../../../src/web/page.ts'
import { pages } from '../../../src/web/pages.ts'
import { openPanel } from '../../support/panel.ts'
import { visit, type Page } from '../../support/web/browser.ts'
import { names, stage, stateOf } from '../../support/web/every-form.ts'
import { openCustomerSession, openSession } from '../../support/web/signed-in.ts'

// A session that is over in any way, or is another role's, opens no page and sends no form: every
// page of the table is requested with it.

const panel = await openPanel(t)
const asked = await stage(panel)
const { pool, baseUrl } = panel
const sign = (role: Role) =>
  role === 'customer' ? openCustomerSession(panel, names.customer) : openSession(panel, names[role])

const nameOf = (role: Role) => (role === 'customer' ? '__Host-panel-account' : '__Host-panel')
const cookieOf = (role: Role, value: string) => `${nameOf(role)}=${value}`

type Way = {
  of: readonly Role[]
  how: string
  end: string
  back?: string
  /** The answer of every page then, where it does not lead to sign in. */
  output?: string
}

const operators = ['administrator', 'reseller'] as const
const customers = ['customer'] as const
const ways: Way[] = [
  {
    ...{ of: [...operators, ...customers], how: 'it was unused for long' },
    end: 'update panel.sessions set expires_at = now() where id = $1',
  },
  {
    ...{ of: [...operators, ...customers], how: 'another session has ended it' },
    end: 'update panel.sessions set revoked_at = now() where id = $1',
  },
  {
    ...{ of: operators, how: 'the password is another one' },
    end: `update panel.operators set credential_epoch = credential_epoch + 1
      where id = (select operator_id from panel.sessions where id = $1)`,
  },
  {
    ...{ of: customers, how: 'the password is another one' },
    end: `update panel.accounts set sign_on_epoch = sign_on_epoch + 1
      where id = (select account_id from panel.sessions where id = $1)`,
  },
  {
    ...{ of: ['reseller'], how: 'the reseller is suspended' },
    end: `update panel.sellers set suspended_at = now() where id = (
      select seller_id from panel.operators join panel.sessions s on s.operator_id = operators.id
      where s.id = $1)`,
    back: 'update panel.sellers set suspended_at = null',
    output: 'This account is suspended',
  },
  {
    ...{ of: customers, how: 'the account is suspended' },
    end: `update panel.accounts
      set state = 'suspended', desired = 'suspended', sign_on_epoch = sign_on_epoch + 1
      where id = (select account_id from panel.sessions where id = $1)`,
    back: `update panel.accounts set state = 'active', desired = 'active'`,
    output: 'This account is suspended',
  },
]

// A visitor without a session learns nothing of what exists.
const addressed = (path: string) => path.replaceAll(/:\w+/g, 'x')
const first = { administrator: '/overview', reseller: '/overview', customer: '/account' }

/** Asks for every page of a role, and sends every form of it. */
async function refuses(
  t: Test,
  role: Role,
  how: string,
  value: string,
  token: string,
  output = '',
) {
  const cookie = cookieOf(role, value)
  const before = await stateOf(panel)
  const refused = (answer: Page, path: string) => {
    if (output !== '') return t.match(answer, { status: 403, text: output }, `${path}: ${how}`)
    t.equal(answer.status, 303, `${path}: ${how}`)
    t.match(answer.headers.location, /^\/sign-in\?to=/, `${path}: ${how}`)
    return t.equal(answer.text, '', `${path}: ${how}`)
  }
  for (const { path } of pages.filter(({ roles }) => roles.includes(role))) {
    refused(await visit(`${baseUrl}${addressed(path)}`, { headers: { cookie } }), path)
  }
  const here = { origin: 'https://panel.test:8443', 'sec-fetch-site': 'same-origin' }
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ token, confirm: 'alice' }).toString()
  for (const { path } of asked.filter(one => one.role === role)) {
    const sent = { method: 'POST', headers: { ...here, ...type, cookie }, body }
    refused(await visit(`${baseUrl}${path}`, sent), `POST ${path}`)
  }
  t.strictSame(await stateOf(panel), before)
}

for (const { of, how, end, back, output } of ways) {
  for (const role of of) {
    t.test(`the session of a ${role} opens nothing once ${how}`, async t => {
      const value = await sign(role)
      const session = await findSession(pool, value)
      await pool.query(end, [session!.id])
      await refuses(t, role, how, value, session!.formToken, output)
      if (back !== undefined) await pool.query(back)
      const again = await visit(`${baseUrl}${first[role]}`, {
        headers: { cookie: cookieOf(role, await sign(role)) },
      })
      t.equal(again.status, 200, 'another one does')
    })
  }
}

t.test('an impersonation ends once the own session is over', async t => {
  const owner = await findSession(pool, await sign('administrator'))
  const { rows } = await pool.query(`select id from panel.accounts where username = 'alice'`)
  const by = { address: undefined, browser: undefined, parent: owner!.id }
  const value = await openAccountSession(pool, rows[0].id, by)
  const session = await findSession(pool, value!)
  await pool.query('update panel.sessions set expires_at = now() where id = $1', [owner!.id])
  await refuses(t, 'customer', 'its parent is over', value!, session!.formToken)
})

t.test('a session counts for no other role, whatever the cookie is called', async t => {
  for (const [role, other] of [
    ['customer', 'administrator'],
    ['customer', 'reseller'],
    ['reseller', 'customer'],
    ['administrator', 'customer'],
  ] as const) {
    const cookie = cookieOf(other, await sign(role))
    for (const { path, roles } of pages.filter(page => page.roles.includes(other))) {
      if (roles.includes(role)) continue
      const { status } = await visit(`${baseUrl}${addressed(path)}`, { headers: { cookie } })
      t.equal(status, 403, `${path} for a ${role}`)
    }
  }
})
