import t from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { alice, openPanel } from '../support/panel.ts'

// Redirects by path and protected folders: what a website may have of them, together too.

const { call, pool } = await openPanel(t)
await call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3, max_aliases: 5 } })
await call('POST', '/api/v1/accounts', { body: alice })
const permission = 'Sites'
const { token } = await createToken(pool, { owner: 'admin', name: 'Sites', permission })
const path = '/api/v1/accounts/alice/sites/alice.example'
const patch = (body: object) => call('PATCH', path, { token, body })
const count = (length: number) => Array.from({ length }, (_, index) => index)

t.test('paths are limited in their depth', async t => {
  const [deep, deeper] = ['/a'.repeat(16), '/a'.repeat(17)]
  const to = 'https://new.example/'
  const error = /at most 16 names between slashes/
  for (const change of [
    { redirects: { [deeper]: { to } } },
    { redirects: { '/old': { to: deeper } } },
    { redirects: { '/old': { to: `https://new.example${deeper}` } } },
    { protected_paths: [deeper] },
  ]) {
    t.match(await patch(change), { status: 400, body: { error } }, JSON.stringify(change))
  }
  const redirects = { [deep]: { to: '/new' }, '/old': { to: `https://new.example${deep}?x` } }
  const change = { redirects, protected_paths: [deep] }
  t.match(await patch(change), { status: 200 })
  t.match(await patch({ redirects: null, protected_paths: null }), { status: 200 })
})

t.test('all redirects together are limited in their folders', async t => {
  const some = (from: number, to: number) =>
    Object.fromEntries(
      count(to - from).map(index => {
        const id = from + index
        return [`/s${id}${'/a'.repeat(15)}`, { to: `/t${id}${'/b'.repeat(15)}` }]
      }),
    )
  t.equal((await patch({ redirects: some(0, 60) })).status, 200)
  const refused = await patch({ redirects: some(60, 120) })
  t.match(refused, { status: 400, body: { error: /redirects: must have at most 3000 names/ } })
  t.equal(Object.keys((await call('GET', path, { token })).body.redirects).length, 60)
  t.equal((await patch({ redirects: null })).status, 200)
})

t.test('redirects by path that lead back are refused', async t => {
  const error = /^redirects: the redirect of \/.* would lead back$/
  for (const redirects of [
    { '/blog': { to: '/blog/' } },
    { '/blog': { to: '/blog?page=1#top' } },
    { '/': { to: 'https://alice.example/' } },
    { '/x': { to: 'http://www.alice.example/x/' } },
    { '/a b': { to: '/c' }, '/c': { to: '/a%20b' } },
  ]) {
    const answer = await patch({ redirects })
    t.match(answer, { status: 400, body: { error } }, JSON.stringify(redirects))
  }
  t.equal((await patch({ redirects: { '/a': { to: '/b' } } })).status, 200)
  t.match(await patch({ redirects: { '/b': { to: '/a' } } }), { status: 400, body: { error } })
  const elsewhere = { '/a': null, '/b': { to: 'https://other.example/b' } }
  t.equal((await patch({ redirects: elsewhere })).status, 200)
  t.equal((await patch({ redirects: null })).status, 200)
})

t.test('protected folders have to fit in a path', async t => {
  const names = `${'x'.repeat(150)}/`.repeat(3)
  const protected_paths = count(20).map(index => `/${index}/${names}`)
  const error = /must have at most 1800 bytes together/
  t.match(await patch({ protected_paths }), { status: 400, body: { error } })
})
