import { endSchedule } from '../machine/account-backups.ts'
import type { ResourceTests } from '../resource-tests.ts'

export const tests: ResourceTests = {
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
  }),
}
