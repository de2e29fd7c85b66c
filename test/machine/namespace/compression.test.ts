import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { renderNginx, sharedFile } from '../../../src/host/web/nginx.ts'
import { callPanel } from '../../support/cli/run-panel.ts'
import { ask, statusOf } from '../raw.ts'
import { openWebsites } from '../served.ts'

// nginx compresses text, and lets browsers keep some files without asking again.

const { panel, make } = await openWebsites(t)
const long = 'a line of text\n'.repeat(500)
const immutable = 'public, max-age=31536000, immutable'

const headerOf = (answer: string, name: string): string | undefined =>
  new RegExp(`^${name}: ([^\r]*)`, 'im').exec(answer.split('\r\n\r\n')[0] ?? '')?.[1]

const bodyOf = (answer: string): Buffer => {
  const whole = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1')
  if (headerOf(answer, 'Transfer-Encoding') !== 'chunked') return whole
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const end = whole.indexOf('\r\n', at)
    const length = parseInt(whole.toString('latin1', at, end), 16)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(whole.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}

const accept = (path: string, encodings = 'gzip', ...lines: string[]) =>
  ask('eve.example', path, [`Accept-Encoding: ${encodings}`, ...lines])

t.test('text is compressed for clients that accept it', async t => {
  const names = 'page.html style.css app.js app.mjs data.json image.svg feed.xml app.wasm font.ttf'
  await make(Object.fromEntries(names.split(' ').map(name => [name, long])))
  for (const name of names.split(' ')) {
    const answer = await accept(`/${name}`)
    t.equal(headerOf(answer, 'Content-Encoding'), 'gzip', name)
    t.equal(headerOf(answer, 'Vary'), 'Accept-Encoding', name)
    t.equal(gunzipSync(bodyOf(answer)).toString(), long, name)
    const plain = await ask('eve.example', `/${name}`)
    t.equal(headerOf(plain, 'Content-Encoding'), undefined)
    t.equal(headerOf(plain, 'Vary'), 'Accept-Encoding', 'a cache keeps both')
    t.equal(bodyOf(plain).toString(), long)
    t.equal(headerOf(await accept(`/${name}`, 'gzip', 'Via: 1.1 cdn'), 'Content-Encoding'), 'gzip')
  }
})

t.test('short files and compressed formats are sent as they are', async t => {
  const names = ['photo.jpg', 'photo.png', 'font.woff2', 'film.mp4', 'archive.zip']
  await make({ ...Object.fromEntries(names.map(name => [name, long])), 'short.css': 'a{}' })
  for (const name of [...names, 'short.css']) {
    t.equal(headerOf(await accept(`/${name}`), 'Content-Encoding'), undefined, name)
  }
})

t.test('answers of scripts are compressed, with their own headers', async t => {
  const send = (more: string, length = 7_500) => `<?php ${more} echo str_repeat('x', ${length});`
  await make({
    'json.php': send(`header('Content-Type: application/json');`),
    'css.php': send(`header('Content-Type: text/css; charset=utf-8');`),
    'kept.php': send(`header('Cache-Control: private, max-age=5');`),
    'events.php': send(`header('Content-Type: text/event-stream');`),
    'packed.php': `<?php header('Content-Encoding: gzip'); echo gzencode(str_repeat('x', 7500));`,
  })
  for (const name of ['json', 'css', 'kept']) {
    const answer = await accept(`/${name}.php`)
    t.equal(headerOf(answer, 'Content-Encoding'), 'gzip', name)
    t.equal(gunzipSync(bodyOf(answer)).length, 7_500, name)
  }
  t.equal(headerOf(await accept('/kept.php'), 'Cache-Control'), 'private, max-age=5')
  t.equal(headerOf(await accept('/events.php'), 'Content-Encoding'), undefined)
  const packed = await accept('/packed.php')
  t.equal(gunzipSync(bodyOf(packed)).length, 7_500, 'never twice')
})

t.test('validation and ranges work as without compression', async t => {
  await make({ 'app-4f3a2b1c.js': long, 'film.mp4': long })
  const plain = await ask('eve.example', '/app-4f3a2b1c.js')
  const etag = headerOf(plain, 'ETag') ?? ''
  t.match(etag, /^"[0-9a-f]+-[0-9a-f]+"$/)
  const packed = await accept('/app-4f3a2b1c.js')
  t.equal(headerOf(packed, 'ETag'), `W/${etag}`)
  for (const tag of [etag, `W/${etag}`]) {
    const answer = await accept('/app-4f3a2b1c.js', 'gzip', `If-None-Match: ${tag}`)
    t.equal(statusOf(answer), 304)
    t.equal(headerOf(answer, 'Cache-Control'), immutable)
  }
  const ranged = await ask('eve.example', '/app-4f3a2b1c.js', ['Range: bytes=2-5'])
  t.match([statusOf(ranged), bodyOf(ranged).toString()], [206, 'line'])
  t.equal(headerOf(ranged, 'Cache-Control'), immutable)
  const film = await accept('/film.mp4', 'gzip', 'Range: bytes=2-5')
  t.match([statusOf(film), bodyOf(film).toString()], [206, 'line'])
})

const hashed = [
  ...['/assets/index-B4Xq3faD.js', '/assets/index-D_v3x-2k.css', '/index-4f3a2b1c.js'],
  ...['/main.4f3a2b1c.chunk.js', '/static/css/main.4f3a2b1c.css', '/main.4f3a2b1c5d6e7f809a1b.js'],
  ...[
    '/static/media/logo.4f3a2b1c.png',
    '/assets/logo-B4Xq3faD.svg',
    '/shop/build/a.4f3a2b1c.webp',
  ],
  ...[
    '/_next/static/chunks/pages/index-4f3a2b1c5d6e7f80.js',
    '/_next/static/abc/_buildManifest.js',
  ],
  ...['/_app/immutable/entry/start.js', '/_astro/hoisted.js', '/_nuxt/entry.js'],
  ...['/fonts/inter.4f3a2b1c.woff2', '/static/admin/css/base.4f3a2b1c5d6e.css'],
  ...[`/assets/application-${'4f3a2b1c'.repeat(8)}.css`, '/blog/app.4f3a2b1c.min.js'],
]
const others = [
  ...['/app.js', '/style.css', '/jquery-3.7.1.min.js', '/report-20261126.js', '/a.20240101.css'],
  ...['/theme-darkmode.css', '/theme-Summer24.css', '/app-darkMode.js', '/x-deadbeef.js'],
  ...['/assets/photo-20261126.jpg', '/assets/IMG-DSC01234.jpg', '/img/user-4f3a2b1c.png'],
  ...['/9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d.css', '/page-4f3a2b1c.html', '/data-4f3a2b1c.json'],
  ...['/4f3a2b1c.js', '/app-4f3a2b1c5.js', '/app-4F3A2B1C.js', '/_nuxt/builds/latest.json'],
  ...['/_next/static/development/_buildManifest.js', '/app-4f3a2b1c.js.map', '/sw.js'],
]

t.test('browsers keep files with a hash in their name, and only files', async t => {
  await make(Object.fromEntries([...hashed, ...others].map(path => [path.slice(1), long])))
  for (const path of [...hashed, ...others]) {
    const answer = await accept(path)
    t.equal(statusOf(answer), 200, path)
    t.equal(headerOf(answer, 'Cache-Control'), hashed.includes(path) ? immutable : undefined, path)
  }
  const locked = await accept(hashed[0] ?? '', 'gzip', 'Authorization: Basic YTpi')
  t.equal(headerOf(locked, 'Cache-Control'), undefined, 'shared caches must not keep it')
  t.equal(headerOf(await accept('/none-4f3a2b1c.js'), 'Cache-Control'), undefined, 'not found')
  await make({ 'folder-4f3a2b1c.js/index.html': long })
  for (const path of ['/folder-4f3a2b1c.js', '/folder-4f3a2b1c.js/']) {
    t.equal(headerOf(await accept(path), 'Cache-Control'), undefined, path)
  }
  await make({ 'closed.html': long, 'index.php': '<?php echo "by a script";' })
  t.equal(headerOf(await accept('/script-4f3a2b1c.js'), 'Cache-Control'), undefined, 'a script')
})

t.test('a path made to be slow to match is answered at once', async t => {
  for (const part of ['/dist', '/_next/static/development', '.0', '-a0', '/.', '-----', '-0A']) {
    const path = `/assets/${part.repeat(7_000 / part.length)}`
    const from = performance.now()
    await accept(path)
    t.ok(performance.now() - from < 1_000, part)
  }
})

t.test('Brotli where Debian’s module is', async t => {
  const versions = { hasIpv6: false, hasHttp2Directive: false, setsVariables: false }
  const options = { ...versions, hasBrotli: false, trustedProxies: [], mailHost: null }
  t.notMatch(renderNginx(options), 'brotli')
  t.match(renderNginx({ ...options, hasBrotli: true }), /^ {4}brotli on;$/m)
  if (!existsSync('/etc/nginx/modules-enabled/50-mod-http-brotli-filter.conf')) {
    t.notMatch(readFileSync(sharedFile, 'utf8'), 'brotli')
    return
  }
  const answer = await accept('/style.css', 'gzip, br')
  t.equal(headerOf(answer, 'Content-Encoding'), 'br')
  t.equal(brotliDecompressSync(bodyOf(answer)).toString(), long)
})

t.test('browsers keep no answer of a suspended website', async t => {
  const words = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  const { code, stderr } = await callPanel(['account', 'suspend', 'eve'], words)
  t.equal(code, 0, stderr)
  for (const path of [...hashed, '/app.js']) {
    const answer = await accept(path)
    t.equal(statusOf(answer), 503, path)
    t.equal(headerOf(answer, 'Cache-Control'), 'no-store', path)
  }
})
