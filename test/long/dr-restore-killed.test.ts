import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { steps } from '../../src/backup/journal.ts'
import { passphrase, runQuick, waitUntilIdle } from '../support/cli/backups.ts'
import { addLongName } from '../support/cli/odd-backup.ts'
import { runPanel } from '../support/cli/run-panel.ts'
import { database } from '../support/database.ts'
import { openPanel } from '../support/panel.ts'
import { scratch } from '../support/scratch.ts'

// A restore is killed after each rename of its own. The same command continues it and ends with the
// same server, and reports the same omissions.

t.setTimeout(400_000)
const panel = await openPanel(t)
const oldDir = dirname(panel.root)
const folder = scratch(t)
const file = join(folder, 'backup.age')
const program = join(import.meta.dirname, '../support/cli/killed-restore.ts')
const words = ['ctl', 'dr-restore', file, '--passphrase-stdin', '--yes', '--json']

t.before(async () => {
  await waitUntilIdle(panel, oldDir)
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: oldDir }
  const create = ['backup', 'create', '--output', file, '--passphrase-stdin']
  const result = await runQuick(create, environment, passphrase)
  if (result.code !== 0) throw new Error(result.stderr)
  await addLongName(file)
})

/** Kills a restore on a server of its own; returns its journal, and how to continue. */
async function killed(t: Test, renames: number) {
  const { url, pool } = await database(t)
  const stateDir = scratch(t)
  const environment = { DATABASE_URL: url, PANEL_STATE_DIR: stateDir }
  const { code } = await runPanel([`${renames}`, ...words], environment, passphrase, program)
  const journal = join(stateDir, 'restore.json')
  const done: string[] | undefined = existsSync(journal)
    ? JSON.parse(readFileSync(journal, 'utf8')).done
    : undefined
  return { code, done, pool, stateDir, goOn: () => runQuick(words, environment, passphrase) }
}

async function isWhole(t: Test, { pool, stateDir, goOn }: Awaited<ReturnType<typeof killed>>) {
  const result = await goOn()
  t.equal(result.code, 0, result.stderr)
  t.match(result.stderr, /continuing the interrupted restore of this backup/)
  const warnings = [{ code: 'file_left_out', message: /: File name too long$/ }]
  t.match(result.json(), { accounts: 2, put_aside: [], warnings })
  t.match(result.stderr, /left out: tar: .*: File name too long/)
  t.notOk(existsSync(join(stateDir, 'restore.json')))
  t.ok(readFileSync(join(stateDir, 'key')).equals(readFileSync(join(oldDir, 'key'))))
  t.equal(readFileSync(join(stateDir, 'host/home/alice/files/a letter'), 'utf8'), 'dear')
  const left = readdirSync(stateDir, { recursive: true, encoding: 'utf8' })
  t.strictSame(
    left.filter(path => /restoring|before-restore|\.new$/.test(path)),
    [],
  )
  const { rows } = await pool.query(
    `select a.username, a.state, o.name, o.state as job, s.paused_since is not null as held
     from panel.accounts a join panel.operations o on o.account_id = a.id, panel.server s
     where o.state not in ('done', 'failed')
     order by a.username`,
  )
  const waiting = { name: 'account/apply', job: 'queued', held: true }
  t.strictSame(rows, [
    { username: 'alice', state: 'active', ...waiting },
    { username: 'bob', state: 'suspended', ...waiting },
  ])
}

t.test('killed after each thing that came to its place, it goes on', async t => {
  const seen = new Set<string>()
  for (let renames = 1; ; renames += 1) {
    const one = await killed(t, renames)
    if (one.code === 0) break
    seen.add(`${one.done}`)
    await t.test(`after ${renames}: ${one.done}`, t => isWhole(t, one))
  }
  const phases = steps.map((_step, index) => `${steps.slice(0, index + 1)}`)
  t.strictSame([...seen], ['', ...phases], 'after and within each phase')
})

t.test('killed when all is done but noted, it says so once more', async t => {
  const one = await killed(t, 0)
  t.strictSame([one.code, one.done], [null, [...steps]])
  await isWhole(t, one)
})
