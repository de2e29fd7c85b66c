import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { endSchedule } from './account-backups.ts'
import type { DebianMachine } from './debian-machine.ts'

// Restores from backups of accounts on an installed panel: restic in its transient unit.

export async function showAccountRestores(t: Test, machine: DebianMachine): Promise<void> {
  const panel = (...words: string[]) => machine.must('panel', 'account-backup', ...words)
  const file = '/home/bob/files/restored.txt'
  const write = (text: string) =>
    machine.must('setpriv', '--reuid=bob', '--clear-groups', 'sh', '-c', `echo ${text} >${file}`)
  await endSchedule(machine)
  await machine.must('mkdir', '-p', '/srv/restored')
  await panel('target', 'add', 'restored', '--folder', '/srv/restored', '--default')
  await write('first')
  await machine.must(
    'sh',
    '-c',
    `cp /bin/true /home/bob/files/set; chown bob /home/bob/files/set
    chmod 4755 /home/bob/files/set`,
  )
  const { id } = JSON.parse(await panel('create', 'bob', '--json'))
  const shown = async () => JSON.parse(await panel('show', 'bob', id, '--json'))
  await until(async () => /done|failed/.test((await shown()).state), 60_000)
  t.match(await shown(), { state: 'done' })
  await write('second')
  await panel('restore', 'bob', id, '--path', 'files/restored.txt', '--path', 'files/set', '--yes')
  const newest = async () => JSON.parse(await panel('restore-ls', 'bob', '--json')).restores[0]
  await until(async () => /done|failed/.test((await newest()).state), 90_000)
  t.match(await newest(), { state: 'done', error: null, warnings: [] })
  t.equal(await machine.must('cat', file), 'first\n')
  t.equal((await machine.must('stat', '-c', '%U %a', '/home/bob/files/set')).trim(), 'bob 755')
  t.equal(await machine.must('ls', '/run/panel/backups'), '')
}
