import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice, openPanel } from '../support/panel.ts'
import { startProcess, untilStarted } from '../support/processes.ts'

// The worker is killed before and after every step of a website's operations: the next worker ends
// it, and the command that still waits gets its answer.

const panel = await openPanel(t, { hasWorker: false })
await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 9 } })
const environment = {
  DATABASE_URL: panel.databaseUrl,
  PANEL_STATE_DIR: dirname(panel.root),
}
const site = (verb: string, domain: string, key: string) =>
  callPanel(
    ['site', verb, 'alice', domain, '--yes', '--json', '--idempotency-key', key],
    environment,
  )
const startWorker = (t: Test, step: string, moment: string) =>
  startProcess(
    t,
    'test/support/programs/worker.ts',
    [panel.databaseUrl, panel.root, step, moment],
    untilStarted,
  )
const events = async (name: string, domain: string) => {
  const { rowCount } = await panel.pool.query(
    `select from panel.events where name = $1 and data ->> 'domain' = $2`,
    [name, domain],
  )
  return rowCount
}
const has = (path: string) => existsSync(join(panel.root, 'home/alice', path))

const steps = {
  add: ['home', 'websites'],
  rm: [
    ...['home', 'websites', 'set aside old folders', 'remove old certificates'],
    'clear old websites',
  ],
}

t.test('the account is there', async t => {
  const worker = await panel.startWorker()
  t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)
  await worker.stop()
})

for (const [index, step] of steps.rm.entries()) {
  for (const moment of ['before', 'after']) {
    const domain = `site-${index}-${moment}.example`
    t.test(`a worker killed ${moment} «${step}» is succeeded, and all is done once`, async t => {
      await killed(t, 'add', domain, steps.add[index], moment)
      t.ok(has(`sites/${domain}/public/index.html`))
      t.equal(await events('site.created', domain), 1)

      await killed(t, 'rm', domain, step, moment)
      t.notOk(has(`sites/${domain}`))
      t.ok(has(`files/removed-${domain}/public/index.html`))
      t.notOk(has(`files/removed-${domain}-2`), 'it was put away once')
      t.equal(await events('site.deleted', domain), 1)
      const { rows } = await panel.pool.query(
        `select a.is_applied, array(select domain from panel.sites) as sites
         from panel.accounts a`,
      )
      t.strictSame(rows, [{ is_applied: true, sites: ['alice.example'] }])
    })
  }
}

async function killed(
  t: Test,
  verb: 'add' | 'rm',
  domain: string,
  step: string | undefined,
  moment: string,
): Promise<void> {
  const key = `${verb} ${domain}`
  const interrupted = step === undefined ? undefined : await startWorker(t, step, moment)
  const first = site(verb, domain, key)
  await interrupted?.exited
  const next = await panel.startWorker()
  const result = await first
  t.equal(result.code, 0, result.stderr)
  t.equal((await site(verb, domain, key)).stdout, result.stdout, 'a repeat gets the same answer')
  await next.stop()
}
