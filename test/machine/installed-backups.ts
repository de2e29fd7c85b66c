import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { backupProbes, endSchedule, resticWrapper, wrapperPath } from './account-backups.ts'
import type { DebianMachine } from './debian-machine.ts'
import type { Client } from './installed.ts'

// Backups of accounts on an installed panel: restic in its transient unit.

export async function showAccountBackups(
  t: Test,
  machine: DebianMachine,
  client: Client,
): Promise<void> {
  t.match(await client('GET', '/accounts/bob'), { body: { state: 'active' } })
  const panel = (...words: string[]) => machine.must('panel', 'account-backup', ...words)
  await endSchedule(machine)
  await machine.must('mkdir', '-p', '/srv/kept')
  await panel('target', 'add', 'kept', '--folder', '/srv/kept', '--default')
  const newest = async () => JSON.parse(await panel('ls', 'bob', '--json')).backups[0]
  const backUp = async () => {
    await panel('create', 'bob')
    await until(async () => /done|failed/.test((await newest()).state), 60_000)
    return newest()
  }
  const repository = () => {
    const [name = ''] = readdirSync(join(machine.root, 'srv/kept')).filter(one => /^bob-/.test(one))
    return join(machine.root, 'srv/kept', name)
  }

  await t.test('a backup is made, and leaves nothing', async t => {
    t.match(await backUp(), { state: 'done', error: null })
    t.equal(await machine.must('ls', '/run/panel/backups'), '')
    const units = await machine.must('systemctl', 'list-units', '--all', 'panel-backup*', '--plain')
    t.notMatch(units, /panel-backup-/)
  })

  await t.test('the runner reads one home, and can do nothing else', async t => {
    await machine.must('install', '-d', '-o', 'bob', '/home/bob/files/probed')
    await machine.run(['tee', '/home/bob/files/kept.txt'], 'kept')
    await machine.run(['tee', wrapperPath], resticWrapper(backupProbes('bob', 'alice')))
    await machine.must('chmod', '755', wrapperPath)
    t.match(await backUp(), { state: 'done', error: null })
    await machine.must('rm', wrapperPath)
    const found = readFileSync(join(repository(), 'found'), 'utf8').trim().split('\n')
    t.strictSame(
      found.filter(line => line.startsWith('can ')),
      ['can read-home'],
    )
    t.equal(found.filter(line => line.startsWith('cannot ')).length, 14)
    const capabilities = found.filter(line => line.startsWith('Cap'))
    // CAP_DAC_READ_SEARCH alone, and no way to more.
    t.match(capabilities.join('\n'), /CapBnd:\s*0000000000000004$/m)
    t.match(found.join('\n'), /NoNewPrivs:\s*1/)
    t.match(found.join('\n'), /Seccomp:\s*2/)
    t.equal(found.at(-1), (await machine.must('id', '-u', 'panel-backup')).trim())
  })

  await t.test('a file is restored, and no rights with it', async t => {
    const file = '/home/bob/files/restored.txt'
    const write = (text: string) =>
      machine.must('setpriv', '--reuid=bob', '--clear-groups', 'sh', '-c', `echo ${text} >${file}`)
    await write('first')
    await machine.must('install', '-o', 'bob', '-m', '4755', '/bin/true', '/home/bob/files/set')
    const { id } = await backUp()
    await write('second')
    const parts = ['--path', 'files/restored.txt', '--path', 'files/set']
    await panel('restore', 'bob', id, ...parts, '--yes')
    const restored = async () => JSON.parse(await panel('restore-ls', 'bob', '--json')).restores[0]
    await until(async () => /done|failed/.test((await restored()).state), 90_000)
    t.match(await restored(), { state: 'done', error: null, warnings: [] })
    t.equal(await machine.must('cat', file), 'first\n')
    t.equal((await machine.must('stat', '-c', '%U %a', '/home/bob/files/set')).trim(), 'bob 755')
    t.equal(await machine.must('ls', '/run/panel/backups'), '')
  })

  await t.test('a worker that is killed leaves no run behind', async t => {
    const lines = '[ "$name" = backup ] && [ ! -e "$repository/once" ] && {\n'
    const stop = '  : >"$repository/once"\n  sleep 600\n}'
    writeFileSync(join(machine.root, 'srv/wrapper'), resticWrapper(lines + stop))
    await machine.must('install', '-m', '755', '/srv/wrapper', wrapperPath)
    await panel('create', 'bob')
    const isStopped = async () =>
      (await machine.run(['sh', '-c', 'ls /srv/kept/bob-*/once'])).code === 0
    t.ok(await until(isStopped, 30_000))
    await machine.must('systemctl', 'kill', '-s', 'KILL', 'panel-worker.service')
    t.ok(await until(async () => (await newest()).state === 'done', 120_000))
    t.not((await machine.run(['pgrep', '-f', 'sleep 600'])).code, 0)
    await machine.must('rm', wrapperPath)
  })
}
