import type { Test } from 'tap'
import { type Customer, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'

// Websites of files alone, and of one page whose script reads all paths.

const domain = 'static.example'

const files = {
  'index.html': '<h1>Start</h1>',
  '404.html': '<h1>Nothing here</h1>',
  'module.mjs': 'export {}',
  'program.wasm': 'wasm',
  'picture.avif': 'avif',
  'app.webmanifest': '{}',
  'font.woff2': 'woff2',
  'numbers.txt': '0123456789',
}

const types = {
  'module.mjs': 'text/javascript; charset=utf-8',
  'program.wasm': 'application/wasm',
  'picture.avif': 'image/avif',
  'app.webmanifest': 'application/manifest+json',
  'font.woff2': 'font/woff2',
}

/** Tests static files. */
export async function showStatic(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('Static files at `/`')
  const site = await customer.addSite(domain)
  const visitor = visitorOf(customer.machine, domain)
  await customer.put(site, files)
  await customer.put(`${site}/old`, { 'index.htm': '<h1>Old</h1>' })
  await works(t, '`index.html` and `index.htm`', async t => {
    t.match(await visitor.ask('/'), 'Start')
    t.match(await visitor.ask('/old/'), 'Old')
    t.equal(await visitor.look('/old', 'location'), '301 /old/')
  })
  await works(t, 'own 404 page', async t => {
    t.match(await visitor.ask('/none'), 'Nothing here')
    t.equal(await visitor.look('/none', 'content-type'), '404 text/html')
  })
  await works(t, 'types of `.mjs`, `.wasm`, `.avif`, `.webmanifest`, `.woff2`', async t => {
    for (const [name, type] of Object.entries(types)) {
      t.equal(await visitor.look(`/${name}`, 'content-type'), `200 ${type}`)
    }
  })
  await works(t, 'range requests', t => askParts(t, visitor))
  await works(t, '`ETag`', async t => {
    const [, tag = ''] = (await visitor.look('/numbers.txt', 'etag')).split(' ')
    t.match(tag, /^"[^"]+"$/)
    const words = ['-H', `If-None-Match: ${tag}`]
    t.match(await visitor.look('/numbers.txt', 'etag', ...words), '304')
    await customer.put(site, { 'numbers.txt': '01234567890' })
    t.match(await visitor.look('/numbers.txt', 'etag', ...words), '200')
  })
}

async function askParts(t: Test, visitor: Visitor): Promise<void> {
  t.equal(await visitor.ask('/numbers.txt', '-r', '2-4'), '234')
  t.equal(await visitor.ask('/numbers.txt', '-r', '-2'), '89')
  t.equal(await visitor.look('/numbers.txt', 'content-range', '-r', '2-4'), '206 bytes 2-4/10')
  t.match(await visitor.look('/numbers.txt', 'none', '-r', '20-'), '416')
}

/** Tests a single-page application. */
export async function showSinglePage(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('Single-page application at `/`')
  const site = await customer.addSite('page.example')
  const visitor = visitorOf(customer.machine, 'page.example')
  await customer.put(site, {
    'index.html': '<script type="module" src="/app.mjs"></script>',
    'app.mjs': 'export {}',
  })
  await works(t, 'unknown paths by `--fallback index.html`', async t => {
    await customer.panel('site', 'set', 'page.example', '--fallback', 'index.html')
    for (const path of ['/', '/orders/7', '/users/a.b', '/deep/er/path/']) {
      t.equal(await visitor.look(path, 'content-type'), '200 text/html', path)
      t.match(await visitor.ask(path), 'src="/app.mjs"', path)
    }
    t.equal(await visitor.ask('/app.mjs'), 'export {}')
  })
}
