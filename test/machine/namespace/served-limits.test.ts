import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { contentTypes } from '../../../src/host/web/content-types.ts'
import { until } from '../../support/until.ts'
import { run, visit } from '../machine.ts'
import { ask, speak } from '../raw.ts'
import { openWebsites } from '../served.ts'

// The types of files, and what PHP may take of time, memory and uploads.

const { panel, make, shown } = await openWebsites(t)
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

t.test('the time that PHP took is compared with the limit of its package', async t => {
  // The maps of the configuration, of what a request says.
  const text = readFileSync('/etc/nginx/conf.d/panel.conf', 'utf8')
  const maps = [...text.matchAll(/^map (?:\$upstream_response_time|"\$panel_limit).*?^}$/gms)]
  t.equal(maps.length, 2)
  const compared = maps
    .join('\n')
    .replace('$upstream_response_time', '$arg_times')
    .replace('$panel_limit', '$arg_limit')
  const server = 'server { listen 127.0.0.1:8099; return 200 "$panel_late"; }'
  const http = `access_log off; ${compared}\n${server}`
  writeFileSync(
    '/tmp/compared.conf',
    `pid /tmp/compared.pid; error_log /dev/null; events {} http { ${http} }`,
  )
  t.match(await run('nginx', ['-c', '/tmp/compared.conf']), { code: 0 })
  const isLate = async (limit: string, times: string) =>
    (await (await fetch(`http://127.0.0.1:8099/?limit=${limit}&times=${times}`)).text()) === '1'
  const table: [limit: string, times: string, expected: boolean][] = [
    ['', '299.999', false],
    ['', '300.001', true],
    ['', '1300.001', true],
    ['', '0.001,399.001', true],
    ['', '399.001:0.002', false],
    ['', '-', false],
  ]
  const times = [0, 1, 5, 9, 10, 11, 58, 59, 60, 61, 70, 99, 100, 101, 110, 200, 299, 300, 400, 2e3]
  for (const limit of [1, 2, 9, 10, 59, 60, 99, 100, 199, 299]) {
    const folder = `/var/lib/panel/web/limits/${String(limit).padStart(3, '0')}`
    for (const time of times) table.push([folder, `${time}.123`, time >= limit])
  }
  for (const [limit, times, expected] of table) {
    t.equal(await isLate(limit, times), expected, `${times} of ${limit}`)
  }
  t.match(await run('nginx', ['-c', '/tmp/compared.conf', '-s', 'stop']), { code: 0 })
})

t.test('a request may take its time, and one that takes too long gets an error', async t => {
  const place: [string, string] = ['nina', '/home/nina/sites/nina.example/public']
  await make(
    {
      'slow.php': '<?php echo str_repeat(" ", 10); sleep((int) $_GET["s"]);',
      'crash.php': '<?php sleep((int) $_GET["s"]); posix_kill(getmypid(), 9); sleep(1);',
    },
    place,
  )
  t.match(await minute, { status: 200, text: 'done' })
  // PHP looks three times in the time that it gives.
  const limit = (seconds: number) =>
    panel.call('PUT', '/api/v1/packages/brief', { body: { php_execution_seconds: seconds } })
  t.match(await limit(3), { status: 201 })
  await panel.call('PUT', '/api/v1/accounts/nina/package', { body: { package: 'brief' } })
  const link = '/var/lib/panel/web/names/nina.example/limit'
  t.equal(readlinkSync(link), '../../limits/003')
  const status = async (path: string) => (await visit('nina.example', path)).status
  t.equal(await status('/slow.php?s=20'), 504, 'ended by PHP')
  t.equal(await status('/crash.php?s=0'), 502, 'a crash is another thing')
  t.match(await limit(12), { status: 200 })
  t.ok(await until(() => readlinkSync(link) === '../../limits/012'))
  t.equal(await status('/crash.php?s=4'), 502)
  t.match(await limit(300), { status: 200 })
  t.ok(await until(() => !existsSync(link)))
  t.equal(await status('/crash.php?s=4'), 502)
  // nginx waits longer than PHP's limit; both are shorter here.
  const nginx = '/etc/nginx/conf.d/panel.conf'
  const text = readFileSync(nginx, 'utf8')
  const shorter = {
    'fastcgi_read_timeout 310s': 'fastcgi_read_timeout 4s',
    '"~^\\|[3-9]" 1': '"~^\\|00[3-9]" 1',
  }
  let changed = text
  for (const [from, to] of Object.entries(shorter)) {
    t.match(text, from)
    changed = changed.replaceAll(from, to)
  }
  writeFileSync(nginx, changed)
  await run('nginx', ['-s', 'reload'])
  const isLate = async () => (await visit('eve.example', '/slow.php?s=8')).status === 504
  t.ok(await until(isLate, 30_000), 'by nginx')
})
