import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openScrub } from '../../src/cli/bundle/scrub.ts'
import { scratch } from '../support/scratch.ts'
import { forms, plant } from '../support/cli/planted.ts'
import { callPanel, panelFor } from '../support/cli/run-panel.ts'

const whole = await panelFor(t)
const { secrets, environment } = await plant(whole.pool, whole.stateDir, whole.environment)
const folder = scratch(t)
// The default is made in the folder that one is in.
process.chdir(folder)

const bundle = (...words: string[]) => callPanel(['ctl', 'support-bundle', ...words], environment)

/** Every file of an archive with what it holds. */
function unpacked(file: string): Map<string, string> {
  const into = scratch(t)
  execFileSync('tar', ['-xzf', file, '-C', into])
  const names = readdirSync(into, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => statSync(join(into, name)).isFile())
  return new Map(files.map(name => [name, readFileSync(join(into, name), 'utf8')]))
}

t.test('contains what support needs, and no secret in any form', async t => {
  const result = await bundle('--json')
  t.equal(result.code, 0, result.stderr)
  const { file, bytes } = result.json()
  t.match(file, new RegExp(`^${folder}/panel-support-\\d{8}-\\d{6}\\.tar\\.gz$`))
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.equal(statSync(file).size, bytes)
  t.strictSame(readdirSync(folder).length, 1, 'and nothing else is left')

  const files = unpacked(file)
  const all = [...files].map(([name, text]) => `${name}\n${text}`).join('\n')
  t.ok(secrets.size >= 20, `${secrets.size}`)
  for (const [name, secret] of secrets) {
    const found = Object.entries(forms(secret)).filter(([, form]) => all.includes(form))
    t.strictSame(found, [], name)
  }

  const textOf = (name: string) => [...files].find(([path]) => path.endsWith(`/${name}`))?.[1] ?? ''
  t.match(JSON.parse(textOf('info.json')), { license: { plan: 'business' }, version: /^\d/ })
  t.match(JSON.parse(textOf('versions.json')), { node: /^24/, dependencies: { pg: /^8/ } })
  t.match(JSON.parse(textOf('settings.json')), { host: 'sandbox', database: { name: /^panel/ } })
  t.ok(JSON.parse(textOf('doctor.json')).checks.length > 60)
  t.match(textOf('doctor.txt'), /^ {2}FAILURE {2}worker: The worker is down/m)
  t.match(JSON.parse(textOf('failures.json')), {
    jobs: [{ task: 'account/create', error: /^the quota is broken; asked .*redacted/ }],
    operations: [{ username: 'alice', error: /^chpasswd printed: \[redacted\]/ }],
    attempts: [{ number: 3, error: /^no answer from https:\/\/api\.example\/call\?\[redacted\]/ }],
    scripts: [{ path: '/hooks/mail.sh', outcome: 'failed' }],
  })
  t.match(textOf('logs/worker.log.1'), /worker ready/)
  t.match(textOf('logs/api.log'), /"message":"about server key"/)
  t.match(textOf('logs/postgres.log'), /ERROR: {2}duplicate key/)
})

t.test('overwrites nothing, and says where nothing can be written', async t => {
  writeFileSync('mine.tar.gz', 'mine')
  t.match(await bundle('--output', 'mine.tar.gz'), {
    code: 1,
    stdout: '',
    stderr: /mine\.tar\.gz already exists and will not be overwritten/,
  })
  t.equal(readFileSync('mine.tar.gz', 'utf8'), 'mine')
  const nowhere = await bundle('--output', join(folder, 'none/x.tar.gz'))
  t.match(nowhere, { code: 1, stderr: /none\/x\.tar\.gz cannot be written \(ENOENT\)/ })
})

t.test('works while the database is down', async t => {
  const file = join(folder, 'down.tar.gz')
  const down = { ...environment, DATABASE_URL: 'postgresql://127.0.0.1:1/panel' }
  const result = await callPanel(['ctl', 'support-bundle', '--output', file], down)
  t.match(result, { code: 0, stdout: `${file}\n` })
  const texts = [...unpacked(file)]
  t.match(texts.find(([name]) => name.endsWith('info.json'))?.[1], /cannot be reached/)
  t.ok(existsSync(file))
})

t.test('text that is no secret stays readable', async t => {
  const scrub = openScrub([])
  for (const text of [
    '{"time":"2026-01-31T10:00:00.000Z","level":"info","message":"delivery failed","status":503}',
    'at handle (file:///opt/panel/releases/1.2.3/src/courier/batched-deliveries.ts:12:34)',
    'at lockPoolBeforeFirstFetch (worker.ts:3:2)',
    'operation 0189d1c8-6a3b-4c5d-8e9f-0123456789ab of alice.example was interrupted',
  ]) {
    t.equal(scrub(text), text)
  }
})

t.test('a hash is cut whole, in an address too', async t => {
  // Its parts between escapes are too short to look random.
  const hash = '$argon2id$v=19$m=7168,t=5,p=1$HT+oU+iqvaD7LCSIM5yiKA$m1XQMYgbdNkb8+N5c7Aof+qax/FEyX'
  const scrub = openScrub([])
  t.equal(scrub(`of ${hash} it`), 'of [redacted] it')
  t.equal(scrub(`of ${encodeURIComponent(hash)} it`), 'of [redacted] it')
})
