import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { cookieOf } from '../support/web/browser.ts'
import { signIn } from '../support/web/signed-in.ts'

// The pages' offers for a suspended account, by role.

const panel = await openPanel(t)
const { pool, call } = panel
const { token } = await makeReseller(pool, 'rita')
await call('PUT', '/api/v1/packages/starter', { token, body: {} })
for (const username of ['anna', 'bert']) {
  const email = `${username}@example.com`
  const body = { username, email, password: 'correct horse battery', package: 'starter' }
  await call('POST', '/api/v1/accounts', { token, body })
}
const admin = await signIn(panel)
const rita = await signIn(panel, 'rita')

const offers = (text: string) =>
  [...text.matchAll(/<a class="button[^"]*" href="\/accounts\/\w+\/([a-z-]+)"/g)].map(
    ([, part]) => part,
  )

t.test('a reseller sees an administrator’s suspension and gets no button for it', async t => {
  await admin.submit('/accounts/anna/suspend', { reason: 'abuse' })
  for (const tab of ['', '/settings', '/jobs', '/history']) {
    const seen = offers((await rita.get(`/accounts/anna${tab}`)).text)
    t.strictSame(seen, ['package'], tab)
    const full = offers((await admin.get(`/accounts/anna${tab}`)).text)
    t.strictSame(full, ['package', 'unsuspend', 'terminate'], tab)
  }
  const { text } = await rita.get('/accounts/anna')
  t.match(text, 'Suspended by an administrator: abuse')
  t.match(text, 'Only an administrator can unsuspend or terminate it.')
  t.notMatch((await admin.get('/accounts/anna')).text, 'Only an administrator')

  const form = await rita.get('/accounts/anna/unsuspend')
  t.match(form.text, /Suspended by an administrator: abuse.*Only an administrator/s)
  t.notMatch(form.text, /<button[^>]*>Unsuspend</)
  t.notMatch(form.text, 'The same as an API call')
  t.match(await rita.submit('/accounts/anna/unsuspend'), {
    status: 422,
    text: /An administrator has suspended this account/,
  })
})

t.test('a suspended account is not suspended again, and its first reason stays', async t => {
  const form = await admin.get('/accounts/anna/suspend')
  t.match(form.text, /Suspended by an administrator: abuse.*It is already suspended/s)
  t.notMatch(form.text, 'name="reason"')
  t.notMatch(form.text, /<button[^>]*>Suspend</)

  // Sent by a window that was opened before.
  const words = async (reason: string) => {
    const sent = await admin.submit('/accounts/anna/suspend', { reason })
    const output = cookieOf(sent)
    return (await admin.get('/accounts/anna', { cookie: `${admin.cookie}; ${output}` })).text
  }
  const other = await words('unpaid')
  t.match(other, 'anna was already suspended: the first reason stays.')
  t.match(other, 'Suspended by an administrator: abuse')
  t.match(await words('abuse'), 'anna was suspended.')
})

t.test('a reseller’s suspension can be lifted by both', async t => {
  await rita.submit('/accounts/bert/suspend', { reason: 'unpaid' })
  for (const who of [admin, rita]) {
    const { text } = await who.get('/accounts/bert')
    t.match(text, 'Suspended by its reseller: unpaid')
    const taken = who === admin ? ['suspend'] : []
    t.strictSame(offers(text), ['package', ...taken, 'unsuspend', 'terminate'])
    t.match((await who.get('/accounts/bert/unsuspend')).text, /<button[^>]*>Unsuspend</)
  }
  t.equal((await rita.submit('/accounts/bert/unsuspend')).status, 303)
  t.ok(offers((await rita.get('/accounts/bert')).text).includes('suspend'))
})

t.test('an administrator takes over what a reseller has suspended', async t => {
  await rita.submit('/accounts/bert/suspend', { reason: 'unpaid' })
  const form = await admin.get('/accounts/bert/suspend')
  t.match(form.text, /Suspended by its reseller: unpaid.*only an administrator can unsuspend it/s)
  t.equal((await admin.submit('/accounts/bert/suspend', { reason: 'spam' })).status, 303)
  const { text } = await rita.get('/accounts/bert')
  t.match(text, 'Suspended by an administrator: spam')
  t.strictSame(offers(text), ['package'])
})
