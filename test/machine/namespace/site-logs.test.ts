import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { callPanel } from '../../support/cli/run-panel.ts'
import { until } from '../../support/until.ts'
import { asUser, run } from '../machine.ts'
import { ask } from '../raw.ts'
import { openWebsites } from '../served.ts'

// Visits of real websites are in the logs in their homes, which no other account reads.

const { panel, make, uidOf } = await openWebsites(t)
const state = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
const words = { ...state, PANEL_HOST: 'linux' }
const logs = '/home/eve/logs/eve.example'
const show = async (...options: string[]) =>
  must(await callPanel(['site', 'logs', 'eve', 'eve.example', ...options], words))
const must = ({ code, stdout, stderr }: Awaited<ReturnType<typeof callPanel>>): string => {
  if (code !== 0) throw new Error(stderr)
  return stdout
}

// The worker's own schedule has a run each minute.
const reread = () =>
  panel.pool.query(
    `select worker_queue.add_job('usage/bandwidth', '{}', job_key => 'usage/bandwidth')`,
  )

await make({
  'page.html': 'a page',
  'fatal.php': '<?php missing();',
  'refuses.php': '<?php http_response_code(404);',
  'folder/page.html': 'a page',
})

t.test('visits are in the access log, in the combined format', async t => {
  await ask('eve.example', '/page.html?a=1', [
    'User-Agent: a browser',
    'Referer: https://a.example/',
  ])
  await ask('eve.example', '/x%0a"\\', ['User-Agent: \x80"\x01', 'Authorization: Basic YSBiOmM='])
  await ask('eve.example', `/${'long'.repeat(1_500)}`, [`User-Agent: ${'\xff'.repeat(7_000)}`])
  await ask('nina.example', '/of-nina')
  await reread()
  const text = await until(async () => {
    const shown = await show()
    return shown.includes('longlong') && shown
  }, 20_000)
  const time = String.raw`\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\]`
  const first = new RegExp(
    String.raw`^127\.0\.0\.1 - - ${time} "GET /page\.html\?a=1 HTTP/1\.1" 200 6 ` +
      '"https://a.example/" "a browser"\n',
  )
  t.match(text, first)
  t.match(text, String.raw`127.0.0.1 - a_b [`)
  t.match(text, String.raw`"GET /x%0a\x22\x5C HTTP/1.1" 404`)
  t.match(text, String.raw`"\x80\x22\x01"`)
  t.notMatch(text, 'of-nina')
  for (const line of text.split('\n')) t.ok(line.length <= 2_000)
  const { uid, mode } = statSync(`${logs}.access.log`)
  t.match([uid, mode & 0o777], [uidOf('eve'), 0o600])
  const read = await asUser(uidOf('eve'), ['cat', `${logs}.access.log`])
  t.match(read.stdout, first)
  t.not((await asUser(uidOf('nina'), ['cat', `${logs}.access.log`])).code, 0)
  t.not((await asUser(uidOf('eve'), ['rm', '-f', `${logs}.access.log`])).code, 0)
})

t.test('failures are in the error log, with their causes', async t => {
  for (const path of ['/none', '/folder/', '/fatal.php', '/refuses.php']) {
    await ask('eve.example', path)
  }
  await reread()
  const text = await until(async () => {
    const shown = await show('--errors')
    return shown.includes('/refuses.php') && shown
  }, 20_000)
  t.match(text, /404 127\.0\.0\.1 "GET \/none HTTP\/1\.1": no file that the web server may/)
  t.match(text, /403 127\.0\.0\.1 "GET \/folder\/ HTTP\/1\.1": the folder has no index file/)
  t.match(text, /404 127\.0\.0\.1 "GET \/refuses\.php HTTP\/1\.1": a script answered so/)
  t.match(text, /PHP Fatal error: .*undefined function missing\(\) in .*eve\.example.*fatal\.php/)
  t.match(text, /500 127\.0\.0\.1 "GET \/fatal\.php HTTP\/1\.1": a script answered so/)
  t.notMatch(await show('--errors', '--filter', 'NONE'), 'fatal')
  t.match(await show('--errors', '--filter', 'NONE', '--lines', '1'), /^.*\/none.*\n$/)
  const log = readFileSync('/var/log/nginx/panel-access.log', 'latin1')
  t.notOk(log.split('\n').some(line => line.length > 16_000))
})

t.test('a rotated log is root’s again, and nginx continues to write to it', async t => {
  const log = '/var/log/nginx/panel-access.log'
  const modeOf = (path: string) => {
    const { uid, mode } = statSync(path)
    return [uid, mode & 0o777]
  }
  // As Debian's logrotate does, with `create 0640 www-data adm`.
  for (const word of ['first-rotation', 'second-rotation']) {
    renameSync(log, `${log}.1`)
    await run('install', ['-m', '0640', '-o', 'www-data', '-g', 'adm', '/dev/null', log])
    await run('nginx', ['-s', 'reopen'])
    await until(async () => {
      await ask('eve.example', `/${word}`)
      return readFileSync(log, 'latin1').includes(word)
    }, 20_000)
    t.not(modeOf(log)[0], 0)
    await until(async () => {
      await reread()
      await sleep(500)
      return modeOf(log)[0] === 0
    }, 40_000)
    t.strictSame(
      [modeOf(log), modeOf(`${log}.1`)],
      [
        [0, 0o640],
        [0, 0o640],
      ],
    )
    await ask('eve.example', `/after-${word}`)
    await until(() => readFileSync(log, 'latin1').includes(`after-${word}`), 20_000)
    await until(async () => (await show()).includes(`after-${word}`) || (await reread(), false))
  }
})

t.test('GoAccess computes statistics of it, whatever lines it has', async t => {
  const command = ['site', 'statistics', 'eve', 'eve.example', '--json']
  const before = (await callPanel(command, words)).json()
  t.match(before.days, [{ hits: before.hits }])
  t.match(
    before.pages.map((row: { name: string }) => row.name),
    ['/page.html'],
  )
  t.notMatch(JSON.stringify(before), 'a=1', 'queries are left out')
  t.match(JSON.stringify(before.missing), '/first-rotation')
  // The account may write anything into its log.
  const line = (path: string, agent = '-') =>
    `192.0.2.9 - - [26/Nov/2026:22:14:03 +0000] "GET ${path} HTTP/1.1" 200 6 "-" "${agent}"\n`
  const hostile = [
    ...[line('/<script>alert(1)</script>', '<img src=x>'), line(`/${'long'.repeat(900)}`)],
    ...[line('/%00%1b[31m\\x00\\x1b\\'), line('/%s%n%n%d'), line('../../etc/passwd')],
    ...['\0\x1b]0;title\x07\n', `${'x'.repeat(100_000)}\n`, line('/\xff\xfe'), line('')],
    ...Array.from({ length: 20_000 }, (_, index) => line(`/unique/${index}`, `agent ${index}`)),
  ].join('')
  const written = await asUser(uidOf('eve'), ['tee', '-a', `${logs}.access.log`], hostile)
  t.equal(written.code, 0)
  const begunAt = performance.now()
  const { code, stdout, stderr } = await callPanel(command.slice(0, -1), words)
  t.equal(code, 0, stderr)
  t.ok(performance.now() - begunAt < 20_000)
  t.notMatch(stdout, /[\0\x07\x1b]/)
  t.match(stdout, /2026-11-26 +200\d\d /)
})

t.test('an account can neither replace its logs nor stop those of others', async t => {
  const as = (...command: string[]) => asUser(uidOf('eve'), command)
  const log = `${logs}.access.log`
  const other = '/home/nina/logs/nina.example.access.log'
  for (const command of [
    ['ln', '-sf', '/etc/passwd', log],
    ['ln', '-s', '/etc/passwd', `${log}.1`],
    ['ln', '-s', '/etc/passwd', `${log}.new`],
    ['ln', '-f', '/home/eve/sites/eve.example/public/page.html', `${log}.1`],
    ['mv', '/home/eve/logs', '/home/eve/tmp/logs'],
    ['mv', log, '/home/eve/tmp/log'],
    ['mkfifo', `${log}.1`],
    ['mkdir', `${log}.new`],
    ['ln', other, '/home/eve/tmp/of-nina'],
    ['sh', '-c', `cat ${other}`],
  ]) {
    t.not((await as(...command)).code, 0, command.join(' '))
  }
  // A write lease, which an open for reading or writing waits for.
  const hold =
    '$SIG{IO} = "IGNORE"; open my $file, "+<", $ARGV[0] or die; ' +
    'fcntl $file, 1024, 1 or die "no lease: $!"; $| = 1; print "held"; sleep 60'
  t.equal((await as('truncate', '-s', '0', `${logs}.error.log`)).code, 0)
  t.equal((await as('chmod', '000', `${logs}.error.log`)).code, 0)
  const [uid, file] = [uidOf('eve'), ['perl', '-e', hold, log]]
  const holder = spawn('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...file])
  t.teardown(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await ask('eve.example', '/during-the-lease')
  await ask('nina.example', '/of-nina-too')
  const begunAt = performance.now()
  await reread()
  await until(() => readFileSync(other, 'latin1').includes('/of-nina-too'), 20_000)
  t.ok(performance.now() - begunAt < 15_000, 'the worker waited for no lease')
  t.match(readFileSync(`${logs}.error.log`, 'latin1'), '/during-the-lease', 'though it was closed')
  holder.kill('SIGKILL')
  await once(holder, 'close')
  await ask('eve.example', '/after-the-lease')
  await reread()
  await until(() => readFileSync(log, 'latin1').includes('/after-the-lease'), 20_000)
})
