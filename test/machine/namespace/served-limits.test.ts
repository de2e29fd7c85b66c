import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { contentTypes } from '../../../src/host/web/content-types.ts'
import { until } from '../../support/until.ts'
import { run, visit } from '../machine.ts'
import { ask, speak } from '../raw.ts'
import { openWebsites } from '../served.ts'

// The types of files, and what PHP may take of time, memory and uploads.

const { uidOf, make, shown } = await openWebsites(t)
await make({ 'slow.php': '<?php sleep((int) $_GET["s"]); echo "done";' })
const minute = visit('eve.example', '/slow.php?s=62')

t.test('every file has its type of today', async t => {
  const expected: Record<string, string> = {
    mjs: 'text/javascript; charset=utf-8',
    cjs: 'text/javascript; charset=utf-8',
    json5: 'application/json5',
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    txt: 'text/plain; charset=utf-8',
    html: 'text/html',
    xml: 'text/xml',
    svg: 'image/svg+xml',
    json: 'application/json',
    map: 'application/json',
    wasm: 'application/wasm',
    webmanifest: 'application/manifest+json',
    avif: 'image/avif',
    webp: 'image/webp',
    jxl: 'image/jxl',
    ico: 'image/x-icon',
    woff2: 'font/woff2',
    woff: 'font/woff',
    ttf: 'font/ttf',
    mp4: 'video/mp4',
    webm: 'video/webm',
    pdf: 'application/pdf',
    vtt: 'text/vtt; charset=utf-8',
    glb: 'model/gltf-binary',
    unknown: 'application/octet-stream',
    AVIF: 'image/avif',
  }
  const all = [...contentTypes].flatMap(([type, ends]) => ends.map(end => [end, type] as const))
  const table = { ...Object.fromEntries(all), ...expected }
  await make(Object.fromEntries(Object.keys(table).map(end => [`types/file.${end}`, 'x'])))
  for (const [end, type] of Object.entries(table)) {
    const output = await ask('eve.example', `/types/file.${end}`)
    t.equal(/^Content-Type: (.*)\r$/m.exec(output)?.[1], type, end)
  }
  const known = readFileSync('/etc/nginx/mime.types', 'utf8').matchAll(
    /^\s+(?:audio|font|image|text|video)\/\S+\s+(.*);/gm,
  )
  const missing = [...known]
    .flatMap(([, ends = '']) => ends.split(/\s+/))
    .filter(end => !(end in table))
  t.strictSame(missing, ['jad', 'jng', 'mng'], 'types that Debian knows, and that are unused')
})

t.test('PHP works as customers expect', async t => {
  const names = [
    ...['memory_limit', 'upload_max_filesize', 'post_max_size', 'max_execution_time'],
    ...['max_input_vars', 'session.gc_maxlifetime'],
  ]
  const list = names.map(name => `'${name}' => ini_get('${name}')`).join(', ')
  await make({ 'ini.php': `<?php echo json_encode([${list}]);` })
  const { body } = await shown('/ini.php')
  t.strictSame(JSON.parse(body as string), {
    memory_limit: '256M',
    upload_max_filesize: '128M',
    post_max_size: '128M',
    max_execution_time: '300',
    max_input_vars: '5000',
    'session.gc_maxlifetime': '1440',
  })
  await make({ 'fields.php': '<?php echo count($_POST["f"]);' })
  const form = Array.from({ length: 4_999 }, (_, index) => `f[]=${index}`).join('&')
  const length = `Content-Length: ${form.length}\r\nConnection: close`
  const type = 'Content-Type: application/x-www-form-urlencoded'
  const lines = `Host: eve.example\r\n${type}\r\n${length}\r\n\r\n${form}`
  t.match(await speak(`POST /fields.php HTTP/1.1\r\n${lines}`), /\r\n4999\r\n/)
})

t.test('a large file comes in', async t => {
  await make({ 'size.php': '<?php echo $_FILES["f"]["error"], " ", $_FILES["f"]["size"];' })
  await run('truncate', ['-s', '120M', '/tmp/large'])
  const where = ['--resolve', 'eve.example:80:127.0.0.1', 'http://eve.example/size.php']
  const result = await run('curl', ['-sS', '-F', 'f=@/tmp/large', ...where])
  t.equal(result.stdout, `0 ${120 * 2 ** 20}`, result.stderr)
})

t.test('a request may take its time, and one that takes too long gets an error', async t => {
  const uid = uidOf('nina')
  // The same limits, shorter: PHP looks three times in the time that it gives.
  await make({ 'slow.php': '<?php echo str_repeat(" ", 10); sleep((int) $_GET["s"]);' }, [
    'nina',
    '/home/nina/sites/nina.example/public',
  ])
  t.match(await minute, { status: 200, text: 'done' })
  const shorten = async (file: string, from: RegExp | string, to: string) => {
    const text = readFileSync(file, 'utf8')
    t.match(text, from)
    writeFileSync(file, text.replaceAll(from, to))
  }
  const pool = `/etc/panel/php/${uid}.conf`
  await shorten(pool, 'request_terminate_timeout = 300s', 'request_terminate_timeout = 3s')
  const { stdout } = await run('pgrep', ['-f', `php-fpm: master.*${uid}.conf`])
  for (const pid of stdout.split('\n').filter(Boolean)) process.kill(Number(pid), 'SIGUSR2')
  const nginx = '/etc/nginx/conf.d/panel.conf'
  await shorten(nginx, '(?:[3-9][0-9]{2}|[0-9]{4,})', '(?:[3-9]|[0-9]{2,})')
  await run('nginx', ['-s', 'reload'])
  const isRead = async () => (await visit('nina.example', '/slow.php?s=20')).status === 504
  t.ok(await until(isRead, 30_000), 'ended by PHP')
  await make({ 'crash.php': '<?php posix_kill(getmypid(), 9); sleep(1);' }, [
    'nina',
    '/home/nina/sites/nina.example/public',
  ])
  t.match(await visit('nina.example', '/crash.php'), { status: 502 }, 'a crash is another thing')
  const isLate = async () => (await visit('eve.example', '/slow.php?s=8')).status === 504
  await shorten(nginx, 'fastcgi_read_timeout 310s', 'fastcgi_read_timeout 4s')
  await run('nginx', ['-s', 'reload'])
  t.ok(await until(isLate, 30_000), 'by nginx')
})
