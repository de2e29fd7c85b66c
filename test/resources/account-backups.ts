import { clientOf } from '../machine/installed.ts'
import { endSchedule } from '../machine/account-backups.ts'
import type { ResourceTests } from '../resource-tests.ts'

export const tests: ResourceTests = {
  // None is there: what is about one ends with 404.
  things: () => ({ backups: '1', restore: 'everything' }),
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
