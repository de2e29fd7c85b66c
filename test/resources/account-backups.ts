import { gzipSync } from 'node:zlib'
import { type ListedFile, toLine } from '../../src/model/account-backups/file-list.ts'
import { clientOf } from '../machine/installed.ts'
import { endSchedule } from '../machine/account-backups.ts'
import type { ResourceTests } from '../resource-tests.ts'

const files: ListedFile[] = [
  { type: 'folder', path: 'files', bytes: 0, modifiedAt: 1_700_000_000 },
  { type: 'folder', path: 'files/notes', bytes: 0, modifiedAt: 1_700_000_000 },
  { type: 'file', path: 'files/notes/plan.txt', bytes: 4_096, modifiedAt: 1_700_000_000 },
]

export const tests: ResourceTests = {
  things: role => ({
    backups: role === 'reseller' ? '2' : '1',
    ...{ restore: 'path', kind: 'files/notes/plan.txt' },
  }),
  async stage(pool) {
    await pool.query(
      `insert into panel.backup_targets (name, target)
       values ('disk', $1)`,
      [{ address: { kind: 'folder', path: '/srv/backups' }, secret: '' }],
    )
    await pool.query(`
      insert into panel.backup_repositories (target_id, account_id, username, sealed_key,
        is_created)
      select t.id, a.id, a.username, '', true
      from panel.backup_targets t, panel.accounts a where a.username in ('alice', 'rob')`)
    await pool.query(`
      insert into panel.account_backups (repository_id, account_id, username, operation_id, state,
        created_at, started_at, finished_at, snapshot, bytes_read, bytes_added, files, duration_ms)
      select r.id, r.account_id, r.username, gen_random_uuid(), 'done', s.at, s.at,
        s.at + interval '12 seconds', repeat('a', 64), 734003200, 5242880, 3, 12000
      from panel.backup_repositories r, (select now() - interval '5 hours' as at) s
      order by r.username`)
    await pool.query(
      `insert into panel.backup_lists (backup_id, contents, list)
       select id, jsonb_build_object(
         'databases', jsonb_build_array(
           jsonb_build_object('database', username || '_shop', 'bytes', 1048576)),
         'mailboxes', '[]'::jsonb), $1
       from panel.account_backups`,
      [gzipSync(files.map(toLine).join(''))],
    )
  },
  commands: account => ({
    async 'account-backup target add'(say) {
      await endSchedule(say.machine)
      await say.machine.must('mkdir', '-p', '/srv/backups')
      await say('disk', '--folder', '/srv/backups')
    },
    'account-backup target ls': say => say(),
    'account-backup target set': say => say('disk', '--folder', '/srv/backups', '--default'),
    'account-backup target test': say => say('disk'),
    async 'account-backup target rm'(say) {
      // One without backups.
      await say.machine.must('mkdir', '-p', '/srv/more')
      const words = ['account-backup', 'target', 'add', 'more', '--folder', '/srv/more']
      await say.machine.must('panel', ...words)
      await say('more', '--yes')
    },
    async 'account-backup create'(say) {
      await say(account)
    },
    async 'account-backup ls'(say) {
      const endsBy = Date.now() + 60_000
      for (;;) {
        const { backups } = await say(account)
        if (backups[0]?.state === 'done') break
        if (backups[0]?.state === 'failed' || Date.now() > endsBy) {
          throw new Error(JSON.stringify(backups[0]))
        }
        await new Promise(resolve => setTimeout(resolve, 500))
      }
    },
    'account-backup show': say => say(account, say.shown['account-backup create']?.['id']),
    'account-backup files': say => say(account, say.shown['account-backup create']?.['id']),
    'account-backup restore': say =>
      say(account, say.shown['account-backup create']?.['id'], '--everything', '--yes'),
    async 'account-backup restore-ls'(say) {
      const endsBy = Date.now() + 60_000
      for (;;) {
        const { restores } = await say(account)
        if (restores[0]?.state === 'done') break
        if (restores[0]?.state === 'failed' || Date.now() > endsBy) {
          throw new Error(JSON.stringify(restores[0]))
        }
        await new Promise(resolve => setTimeout(resolve, 500))
      }
    },
  }),
  async showApi(machine, _, account) {
    const words = ['--owner', 'admin', '--permission', 'Provisioning and hosting', '--json']
    const made = JSON.parse(await machine.must('panel', 'token', 'create', ...words))
    const client = clientOf(machine, (made as { token: string }).token)
    const call = async (method: string, path: string, body?: object) => {
      const answer = await client(method, path, body)
      if (answer.status > 201) throw new Error(JSON.stringify(answer.body))
      return answer.body
    }
    await endSchedule(machine)
    await machine.must('mkdir', '-p', '/srv/backups', '/srv/elsewhere')
    await call('PUT', '/backup-targets/disk', {
      address: { kind: 'folder', path: '/srv/backups' },
      credentials: '',
    })
    await call('POST', '/backup-targets/disk/test')
    await call('PUT', '/backup-targets/other', {
      address: { kind: 'folder', path: '/srv/elsewhere' },
    })
    await call('DELETE', '/backup-targets/other')
    await call('GET', '/backup-targets')
    const { id } = await call('POST', `/accounts/${account}/backups`)
    await call('GET', `/accounts/${account}/backups`)
    const endsBy = Date.now() + 60_000
    for (;;) {
      const { state, error } = await call('GET', `/accounts/${account}/backups/${id}`)
      if (state === 'done') break
      if (state === 'failed' || Date.now() > endsBy) throw new Error(`${state}: ${error}`)
      await new Promise(resolve => setTimeout(resolve, 500))
    }
    const backup = `/accounts/${account}/backups/${id}`
    await call('GET', `${backup}/contents`)
    await call('GET', `${backup}/files?path=sites`)
    await call('GET', `${backup}/preview?everything=true`)
  },
}
