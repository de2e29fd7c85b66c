import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checks } from '../../src/cli/doctor/checks.ts'
import type { Check } from '../../src/cli/doctor/check.ts'
import { examine } from '../../src/cli/doctor/examine.ts'
import { checkInodes, checkSpace } from '../../src/cli/doctor/disk.ts'
import { openContext } from '../../src/cli/doctor/context.ts'
import { openMachine } from '../../src/host/machine.ts'
import { findPanel } from '../../src/cli/find-panel.ts'
import { brokenFiles } from '../cli/doctor/files.ts'
import { brokenPermissions } from '../cli/doctor/permissions.ts'
import { brokenQueues } from '../cli/doctor/queues.ts'
import { brokenRows } from '../cli/doctor/rows.ts'
import { brokenSettings } from '../cli/doctor/settings.ts'
import type { Staged } from '../cli/doctor/staged.ts'
import { callPanel, runPanel } from '../support/cli/run-panel.ts'
import { wholePanel } from '../support/cli/whole-panel.ts'

// Each fault is real, made in a healthy panel, found by its own check alone, and repaired again.

const whole = await wholePanel(t)
const { panel, environment, stateDir } = whole

/** The findings of these checks that are not well, examined as the command does. */
async function examined(names: string[], more = {}, isFixing = false) {
  const { close, ...context } = openContext(findPanel({ ...environment, ...more }))
  const meant = checks.filter(({ name }) => names.length === 0 || names.includes(name))
  const results = await examine(context, meant, { isFixing })
  await close()
  return results
}

const sick = (results: { name: string; state: string; sentence: string }[]) =>
  results
    .filter(({ state }) => state === 'warning' || state === 'failure')
    .map(({ name, sentence }) => `${name}: ${sentence}`)

t.test('a panel that is well is well', async t => {
  const result = await panel('ctl', 'doctor', '--json')
  t.strictSame(sick(result.json().checks), [])
  t.equal(result.code, 0)
  t.ok(result.json().counts.ok >= 60, result.stderr)
  t.match(result.stderr, /^panel: \d+ checks: \d+ well, 0 warnings, 0 failures, \d+ skipped\n$/)
})

const staged: Staged[] = [
  ...brokenRows(whole),
  ...brokenQueues(whole),
  ...brokenPermissions(whole),
  ...(await brokenFiles(whole)),
  ...(await brokenSettings(whole)),
]

for (const { check, state, words, advice = /\w+ \w+/, ...one } of staged) {
  const { environment: more = {}, broken, fixed } = one
  t.test(`${check} names ${words.source}`, async t => {
    const mend = (await broken?.()) ?? undefined
    try {
      const [found] = await examined([check], more)
      t.match(found, { state, sentence: words, advice })
      if (fixed !== undefined) {
        const [after] = await examined([check], more, true)
        t.match(after, { state: 'ok', advice: null, fixed })
      }
    } finally {
      await mend?.()
    }
    t.match(await examined([check]), [{ state: /^(ok|skipped)$/ }], 'and is well again')
  })
}

t.test('an account that an operation works for may differ', async t => {
  const [drifted] = staged.filter(({ check }) => check === 'drift/accounts')
  const mend = await drifted!.broken!()
  await whole.pool.query(
    `insert into panel.operations (name, account_id, username, state)
     select 'account/apply', id, username, 'running' from panel.accounts where username = 'alice'`,
  )
  try {
    t.match(await examined(['drift/accounts']), [{ state: 'ok' }])
  } finally {
    await whole.pool.query(`delete from panel.operations where name = 'account/apply'`)
    await mend?.()
  }
})

t.test('no check is forgotten', async t => {
  const untried = checks.map(({ name }) => name).filter(name => !/^(disk|mariadb)\//.test(name))
  t.strictSame(
    untried.filter(name => staged.every(({ check }) => check !== name)),
    // Below, and on machines: test/machine/namespace/doctor.test.ts, test/machine/installed.ts,
    // test/machine/hidden.ts, test/machine/namespace/readable.test.ts.
    [
      'database/reachable',
      'processes/api',
      'installation/release',
      'installation/update',
      'installation/units',
      'installation/reverse-proxy',
      'services/nginx-proxies',
      'services/cron-running',
      'services/php',
      'services/php-default',
      'services/php-versions',
      'services/php-sockets',
      'websites/readable',
      'permissions/settings',
      'permissions/vendor',
      'permissions/processes',
      'ports/http',
      'ports/https',
      'ports/ssh',
      'drift/processes',
    ],
  )
})

t.test('disks that are nearly full are reported', async t => {
  const GiB = 2 ** 30
  const states = [
    [0.4, 1],
    [0.4, 1_000],
    [9, 1_000],
    [11, 1_000],
    [0.6, 1],
  ].map(([free, total]) => {
    return checkSpace('/', free! * GiB, total! * GiB).state
  })
  t.strictSame(states, ['failure', 'failure', 'warning', 'ok', 'ok'])
  const files = [
    [1, 100],
    [9, 100],
    [11, 100],
    [0, 0],
  ].map(([free, total]) => {
    return checkInodes('/', free!, total!).state
  })
  t.strictSame(files, ['failure', 'warning', 'ok', 'ok'])
})

t.test('the command prints everything, repairs what it may, and exits by what is left', async t => {
  chmodSync(join(stateDir, 'first-start.json'), 0o644)
  writeFileSync(join(whole.root, 'run/reboot-required'), '')
  const result = await runPanel(['ctl', 'doctor'], environment)
  t.equal(result.code, 2, result.stderr)
  t.match(result.stdout, /^permissions$/m)
  t.match(result.stdout, /^  FAILURE  first-start: .*\n +do: chmod 600 .*first-start\.json$/m)
  t.match(result.stdout, /^  WARNING  restart-due: .*\n +do: Reboot/m)
  t.match(result.stderr, /1 warning, 1 failure,/)

  const mended = await panel('ctl', 'doctor', '--fix')
  t.equal(mended.code, 1)
  t.match(mended.stdout, /^  ok       first-start: .*\n +done: chmod 600 .*first-start\.json$/m)
  rmSync(join(whole.root, 'run/reboot-required'))
  t.equal((await panel('ctl', 'doctor')).code, 0)
})

t.test('a check that throws, or does not end, is a failure with its error', async t => {
  const { close, ...context } = openContext(findPanel(environment))
  const odd: Check[] = [
    { name: 'odd/throws', run: () => Promise.reject(new Error('it broke')) },
    { name: 'odd/hangs', run: () => new Promise(() => undefined) },
  ]
  t.match(await examine(context, odd, { limitMs: 50 }), [
    { state: 'failure', sentence: 'The check failed: it broke', advice: /\w/ },
    { state: 'failure', sentence: 'The check did not finish within 0.05 s' },
  ])
  await close()
})

t.test('a check that needs more rights is reported and is no fault', async t => {
  const { close, ...context } = openContext(findPanel(environment))
  await context.db()
  const machine = openMachine({ kind: 'linux', root: '/' })
  if (process.getuid?.() === 0) process.seteuid?.(65_534)
  const results = await examine({ ...context, machine, isRoot: false }, checks)
  if (process.getuid?.() === 0) process.seteuid?.(0)
  await close()
  const unseen = results.filter(({ state }) => state === 'skipped')
  t.match(unseen.map(({ name }) => name).join(), /nginx-conf.*certificates\/files.*quota\/limits/)
  t.match(unseen.map(({ sentence }) => sentence).join(), /Only root can check this/)
  t.strictSame(
    results.filter(({ sentence }) => sentence.includes('The check failed')),
    [],
  )
})

t.test('settings that cannot be used are reported', async t => {
  const result = await callPanel(['ctl', 'doctor', '--json'], { PANEL_STATE_DIR: 'nowhere' })
  t.equal(result.code, 2)
  const [first, ...others] = result.json().checks
  t.match(first, {
    name: 'settings/readable',
    state: 'failure',
    sentence: /must be an absolute path/,
  })
  t.ok(others.every(({ state }: { state: string }) => state === 'skipped'))
})

t.test('everything is down, and what needs nothing is looked at', async t => {
  await whole.stopApi()
  const [up] = await examined(['processes/api'])
  t.match(up, { state: 'failure', sentence: 'The api is down: no request is answered' })
  await whole.postgres.stop()
  const { checks: found } = (await panel('ctl', 'doctor', '--json')).json()
  t.match(sick(found), [
    /^database\/reachable: The database cannot be reached \(/,
    /^ports\/panel: Nothing answers/,
  ])
  const byName = Object.fromEntries(found.map((one: { name: string }) => [one.name, one]))
  t.match(byName['queue/failed-jobs'], { state: 'skipped', sentence: /cannot be reached/ })
  for (const name of ['permissions/key', 'services/nginx-configuration', 'disk/space-homes']) {
    t.match(byName[name], { state: 'ok' }, name)
  }
})
