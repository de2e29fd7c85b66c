import t from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { ask, statusOf } from '../raw.ts'
import { openWebsites, report } from '../served.ts'

// Paths that visitors make up to open folders that ask for a password, or to stop nginx.

const { make, panel } = await openWebsites(t)
await make({
  'index.php': report('root'),
  'page.txt': 'a page',
  'admin/index.php': report('admin'),
  'admin/page.txt': 'an admin page',
})

const permission = 'Sites'
const { token } = await createToken(panel.pool, { owner: 'admin', name: 'Sites', permission })
const patch = (body: object) =>
  panel.call('PATCH', '/api/v1/accounts/eve/sites/eve.example', { token, body })
const get = (path: string) => ask('eve.example', path)

/** Lengths of paths in characters: nginx refuses longer ones. */
const lengths = [500, 2_000, 7_900]

const units = [
  ...[':/a:/=e|', '|', '/=e|', '/=p/:/a:/=e|', '/=p/', ':', ':/a:', ':/admin:', '/a|/admin'],
  ...['x.php/', 'x.php/a', '/index.php', '.php', '%0A', '%0A.php', '%00', '%7C', '%3A/', '(?', '='],
]

const begins = ['/admin/index.php/', '/admin/page.txt/', '/admin/', '/index.php/admin/', '//admin/']

const many = Array.from({ length: 19 }, (_, index) => `/f${index}/${'x'.repeat(80)}`)

for (const [words, paths] of [
  ['one folder', ['/admin']],
  ['many folders', [...many, '/admin']],
  ['many folders, the first', ['/admin', ...many]],
] as const) {
  t.test(`no path opens a folder with a password: ${words}`, async t => {
    const done = await patch({ protected_paths: paths, users: { carol: 'correct horse' } })
    t.equal(done.status, 200, done.text)
    for (const begin of begins) {
      for (const unit of units) {
        for (const length of lengths) {
          const count = Math.floor((length - begin.length) / unit.length)
          const answer = await get(begin + unit.repeat(count))
          // nginx refuses zero bytes itself.
          const expected = unit === '%00' ? 400 : 401
          t.equal(statusOf(answer), expected, `${begin}${unit} × ${count}`)
        }
      }
    }
    for (const unit of units.filter(one => one !== '%00' && !one.includes('/admin'))) {
      const path = `/page.txt${unit}`
      t.not(statusOf(await get(path)), 401, path)
    }
    for (const path of ['/page.txt|/admin', '/x:/=e|/admin', '/x/=p/:/page:/=e|/page']) {
      t.not(statusOf(await get(path)), 401, path)
    }
  })
}

t.test('the longest settings fit in a path', async t => {
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}/${'x'.repeat(84)}`)
  const protected_paths = ['/admin', ...paths.slice(1)]
  const [long, short] = [`${'x'.repeat(190)}.js`, 'x.js']
  const sources = [long, long, long, long, long, long, ...Array(8).fill(short)]
  const csp = `script-src ${sources.map(name => `https://a.example/${name}`).join(' ')}`
  const headers = { csp: csp.slice(0, 1_500), frame: 'SAMEORIGIN', nosniff: true }
  const referrer = 'strict-origin-when-cross-origin'
  const change = { protected_paths, headers: { ...headers, referrer }, hsts_seconds: 63_072_000 }
  const done = await patch(change)
  t.equal(done.status, 200, done.text)
  const answer = await get('/page.txt')
  t.match(answer, `Content-Security-Policy: ${headers.csp}`)
  t.match(answer, /a page$/)
  t.equal(statusOf(await get('/admin/page.txt')), 401)
  t.equal((await patch({ headers: null, hsts_seconds: null })).status, 200)
})

t.test('no path stops nginx for others', async t => {
  await patch({ protected_paths: [...many, '/admin'] })
  const slow = [...units, '.php~', '.sql~', '.html', '.inc.', '-a', '.a0', '/vendor', '.PHP/']
  for (const unit of slow) {
    for (const end of ['', '.html', '.js', '/']) {
      const path = `/x${unit.repeat(Math.floor(7_900 / unit.length))}${end}`
      const begun = performance.now()
      await get(path)
      // Milliseconds: a pattern that PCRE matches in too many ways takes thousands.
      const taken = performance.now() - begun
      t.ok(taken < 1_000, `${unit} ${end}: ${Math.round(taken)} ms`)
    }
  }
})
