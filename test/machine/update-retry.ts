import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import type { Client } from './installed.ts'

const state = '/var/lib/panel/update'
const driver = '/srv/driver'

/** A rollback that fails, as PostgreSQL stays away, succeeds once it is there. */
export async function showRetry(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  // The release that rolls it back, with a shorter timeout.
  const hasten = (from: string, to: string, file: string) =>
    `grep -q '${from}' ${file} && sed -i 's/${from}/${to}/' ${file}`
  const quick = [
    hasten('attempts: 120', 'attempts: 2', 'src/install/update/database-answers.ts'),
    hasten('on-active=60s', 'on-active=3s', 'src/install/update/unit.ts'),
  ]
  const copy = [`cp -a /opt/panel/releases/0.1.0 ${driver}`, `cd ${driver}`, ...quick]
  const setup = [`mkdir -p ${state}`, `ln -sfn ${driver} ${state}/driver`]
  await machine.must('sh', '-c', [...copy, ...setup].join(' && '))
  const journal = { kind: 'update', from: '0.1.0', to: '0.2.0', step: 'migrate', paused: [] }
  writeFileSync(join(machine.root, state, 'journal.json'), JSON.stringify(journal))
  await machine.must('systemctl', 'stop', 'postgresql')
  const resume = ['systemctl', 'start', 'panel-update-resume']
  t.not((await machine.run(resume)).code, 0)
  const read = (name: string) => machine.run(['cat', `${state}/${name}.json`])
  t.match((await read('outcome')).stdout, /"half undone"/)
  t.match(
    (await machine.run(['panel', 'ctl', 'doctor', '--problems'])).stdout,
    /interrupted in migr/,
  )
  const tried = () =>
    machine.run(['grep', '-c', 'retrying in a minute', '/var/log/panel/update.log'])
  t.ok(await until(async () => Number((await tried()).stdout) > 1), 'more than once')
  await machine.must('systemctl', 'start', 'postgresql')
  t.ok(await until(async () => (await read('journal')).code !== 0))
  await until(async () => (await read('outcome')).stdout.includes('"undone"'))
  t.ok(await until(async () => (await client('GET', '/accounts/bob')).status === 200))
  t.equal((await machine.must('systemctl', '--failed', '--no-legend')).trim(), '')
  await machine.must('rm', '-r', driver, `${state}/driver`)
}
