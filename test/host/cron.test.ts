import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { alice, sandbox, straight } from '../support/host/sandbox.ts'

const suspended = { ...alice, desired: 'suspended' as const }
const terminated = { ...alice, desired: 'terminated' as const }

t.test('jobs are put aside with the account and come back with it', async t => {
  const { machine } = await sandbox(t)
  const crontab = machine.path('/var/spool/cron/crontabs/alice')
  mkdirSync(machine.path('/var/spool/cron/crontabs'), { recursive: true })
  await apply(machine, alice, straight)
  writeFileSync(crontab, '* * * * * true\n')
  await apply(machine, suspended, straight)
  await apply(machine, suspended, straight)
  t.notOk(existsSync(crontab))
  await apply(machine, alice, straight)
  await apply(machine, alice, straight)
  t.equal(readFileSync(crontab, 'utf8'), '* * * * * true\n')
})

t.test('crontabs go with a terminated account, and never by the name alone', async t => {
  const { machine } = await sandbox(t)
  const folder = machine.path('/var/spool/cron/crontabs')
  mkdirSync(folder, { recursive: true })
  await apply(machine, alice, straight)
  writeFileSync(`${folder}/alice`, '* * * * * true\n')
  await apply(machine, terminated, straight)
  t.notOk(existsSync(`${folder}/alice`))
  writeFileSync(`${folder}/alice`, 'the next owner\n')
  await apply(machine, terminated, straight)
  t.ok(existsSync(`${folder}/alice`))
})
