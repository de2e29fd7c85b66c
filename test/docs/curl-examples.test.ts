import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { readPages } from '../../src/api/reference.ts'
import { endpoints } from '../../src/api/routes.ts'
import { version } from '../../src/config.ts'
import { ErrorAnswer, RequestJob } from '../../src/model/jobs/request-jobs.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPanel, type Panel } from '../support/panel.ts'
import { until } from '../support/until.ts'
import {
  comparable,
  comparableHeader,
  examplesOf,
  parseReply,
  type Example,
  type Reply,
} from '../support/docs/examples.ts'

// Runs every command of the reference in the order of the text.

const examples = (await readPages()).flatMap(examplesOf)
const hasCurl = spawnSync('curl', ['--version']).status === 0

t.test('every operation has an example', async t => {
  const shown = new Set(examples.map(example => example.operation?.id))
  t.strictSame(
    endpoints.map(({ id }) => id).filter(id => !shown.has(id)),
    [],
  )
})

t.test('every example gets the answer that the text shows', async t => {
  await runAll(t, hasCurl ? process.env['PATH']! : await withStandIn(t))
})

async function runAll(t: Test, path: string): Promise<void> {
  const opened = await openPanel(t, { about: { version } })
  const mail = JSON.stringify({ host: 'mail.panel.example' })
  await opened.pool.query('update panel.server set mail = $1', [mail])
  await mkdir(join(opened.root, 'mnt/backups'), { recursive: true })
  await mkdir(join(opened.root, 'usr/local/sbin'), { recursive: true })
  const restic = join(import.meta.dirname, '../support/docs/restic.sh')
  await symlink(restic, join(opened.root, 'usr/local/sbin/restic'))
  const events = { owner: 'admin', name: 'Events', permission: 'Read events' } as const
  const permission = 'Provisioning and hosting'
  const own = { owner: 'admin', name: 'Hosting', permission } as const
  const panel = {
    ...{ ...opened, reading: (await createToken(opened.pool, events)).token },
    hosting: (await createToken(opened.pool, own)).token,
    sites: (await createToken(opened.pool, { ...own, permission: 'Sites' })).token,
  }
  let job = ''
  for (const example of examples) {
    await t.test(example.title, async t => {
      const reply = await run(example, panel, path, job)
      compare(t, reply, example)
      job = /\/jobs\/(.+)$/.exec(reply.headers.get('location') ?? '')?.[1] ?? job
    })
  }
}

// A job, a backup or a restore is polled until it has ended, as the text says.
async function run(
  example: Example,
  panel: Panel & { reading: string; hosting: string; sites: string },
  path: string,
  job: string,
): Promise<Reply> {
  const { baseUrl, token, reading, hosting, sites } = panel
  const more = { EVENTS_TOKEN: reading, HOSTING_TOKEN: hosting, SITES_TOKEN: sites }
  const tokens = { TOKEN: token, ...more }
  const env = { PATH: path, PANEL: baseUrl, ...tokens, JOB: job }
  let reply: Reply | undefined
  await until(async () => {
    const { stdout } = await promisify(execFile)('sh', ['-euc', example.script], { env })
    reply = parseReply(stdout)
    const { state } = reply.body as { state?: string }
    const isFollowed = /^get(Job|Backup|Restore)$/.test(example.operation?.id ?? '')
    return !isFollowed || !/queued|ready|running|saving|reading|staged/.test(state ?? '')
  })
  return reply!
}

function compare(t: Test, reply: Reply, { expected, operation }: Example): void {
  t.equal(reply.status, expected.status)
  for (const [name, value] of expected.headers) {
    const sent = reply.headers.get(name) ?? ''
    t.equal(comparableHeader(name, sent), comparableHeader(name, value), name)
  }
  // The progress of a job when it is first shown depends on the worker.
  const shown = ({ status, body }: Reply) =>
    comparable(status === 202 ? { ...(body as RequestJob), ...notYet } : body)
  t.strictSame(shown(reply), shown(expected))
  if (operation === undefined) return
  const { schema } = operation.answers[reply.status] ?? {
    schema: reply.status === 202 ? RequestJob : ErrorAnswer,
  }
  t.ok(schema.safeParse(reply.body).success, 'the answer fits its schema')
}

const notYet = { state: 'queued', status: null, result: null, finished_at: null }

// A search path with our own `curl`.
async function withStandIn(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'panel-curl-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'bin'))
  const file = join(folder, 'bin/curl')
  const program = join(import.meta.dirname, '../support/docs/curl.ts')
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(file, 0o755)
  return `${join(folder, 'bin')}:${process.env['PATH']}`
}
