import t from 'tap'
import type { Role } from '../../../src/web/page.ts'
import { openPanel } from '../../support/panel.ts'
import { open, stage, stateOf, type Asked } from '../../support/web/every-form.ts'
import { visit, type Page } from '../../support/web/browser.ts'
import type { SignedIn } from '../../support/web/signed-in.ts'

// Requests that no page of the panel makes, at every form that there is: nothing is done, and what
// comes back is a page.

const panel = await openPanel(t)
const asked = await stage(panel)
const { pool, baseUrl } = panel
const roles: Role[] = ['administrator', 'reseller', 'customer']
const people = new Map<Role, SignedIn>()
const others = new Map<Role, string>()
const over = new Map<Role, { cookie: string; token: string }>()
const first = { administrator: '/overview', reseller: '/overview', customer: '/account' }
const tokenIn = ({ text }: Page) => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
for (const role of roles) {
  people.set(role, await open(panel, role))
  others.set(role, tokenIn(await (await open(panel, role)).get(first[role])))
  const gone = await open(panel, role)
  const token = tokenIn(await gone.get(first[role]))
  const out = role === 'customer' ? '/account/sign-out' : '/sign-out'
  await gone.submit(out, {}, { token })
  over.set(role, { cookie: gone.cookie, token })
}
const here = { origin: 'https://panel.test:8443', 'sec-fetch-site': 'same-origin' }
const type = { 'content-type': 'application/x-www-form-urlencoded' }

const foreign: Record<string, Record<string, string>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a site next to it': { origin: 'https://panel.test', 'sec-fetch-site': 'same-site' },
  'a hidden origin': { origin: 'null' },
  'a hidden origin that says it is ours': { origin: 'null', 'sec-fetch-site': 'same-origin' },
}

t.test('every form is closed to requests that no page of ours makes', async t => {
  const before = await stateOf(panel)
  // A form is closed in the same way for every role.
  const isFirst = (one: Asked) => asked.find(({ page }) => page === one.page) === one
  for (const { role, path, page } of asked.filter(isFirst)) {
    const person = people.get(role)!
    const what = `${page.path} of a ${role}`
    const refused = (answer: Page, status: number, how: string) => {
      t.equal(answer.status, status, `${what}: ${how}`)
      if (status === 303) t.match(answer.headers.location, /^\/sign-in\?to=/, `${what}: ${how}`)
      else t.match(answer.headers['content-type'], 'text/html', `${what}: ${how}`)
    }
    const token = tokenIn(await person.get(first[role]))
    for (const [how, headers] of Object.entries(foreign)) {
      refused(await person.submit(path, {}, { headers, token }), 403, how)
    }
    const bare = { cookie: person.cookie, ...type }
    const body = new URLSearchParams({ token }).toString()
    const post = (headers: Record<string, string>, sent = body) =>
      visit(`${baseUrl}${path}`, { method: 'POST', headers, body: sent })
    refused(await post(bare), 403, 'it says nothing of its origin')
    for (const wrong of ['', 'x', 'A'.repeat(86), `${token}x`, others.get(role)!]) {
      const how = `with the token ${wrong.slice(0, 8)}`
      refused(await person.submit(path, {}, { token: wrong || ' ' }), 403, how)
    }
    refused(await post({ ...here, ...bare }, ''), 403, 'with no token')
    refused(await post({ ...here, ...type }), 303, 'with no session')
    const { cookie, token: old } = over.get(role)!
    const late = new URLSearchParams({ token: old }).toString()
    refused(await post({ ...here, ...type, cookie }, late), 303, 'back, after signing out')
    const json = { ...here, cookie: person.cookie, 'content-type': 'application/json' }
    // A form with a file says in its address what others say in their bodies: here it says nothing.
    const orUnread = (status: number) => (page.takesFile === true ? 403 : status)
    refused(await post(json, '{}'), orUnread(400), 'as JSON')
    refused(
      await post({ ...here, ...bare }, `${body}&x=${'x'.repeat(70_000)}`),
      orUnread(413),
      'huge',
    )
    refused(await post({ ...here, ...bare }, `${body}&x=%00`), orUnread(400), 'with NUL')
    await pool.query('delete from panel.session_writes')
  }
  t.strictSame(await stateOf(panel), before, 'nothing has changed')
})

t.test('nothing of the panel is found with the back button after signing out', async t => {
  for (const role of roles) {
    const page = await people.get(role)!.get(first[role])
    t.equal(page.headers['cache-control'], 'no-store')
    const { cookie } = over.get(role)!
    const back = await visit(`${baseUrl}${first[role]}`, { headers: { cookie } })
    t.match(back, { status: 303, text: '' })
  }
})
