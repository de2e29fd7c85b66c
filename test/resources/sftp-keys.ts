import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceTests } from '../resource-tests.ts'

export const tests: ResourceTests = {
  things: () => ({ keys: '1' }),
  commands: account => ({
    async 'sftp-key add'(say) {
      const made = ['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', '/srv/key']
      if (!existsSync(join(say.machine.root, 'srv/key'))) await say.machine.must(...made)
      await say(account, '/srv/key.pub')
    },
    'sftp-key ls': say => say(account),
    'sftp-key rm': say => say(account, say.shown['sftp-key ls']?.['keys'][0].id, '--yes'),
  }),
  async stage(pool) {
    await pool.query(`
      insert into panel.sftp_keys (account_id, key, comment, desired, created_at)
      select id, 'ssh-ed25519 ' || key, comment, 'present', now() - days * interval '1 day'
      from panel.accounts, (values
        ('AAAAC3NzaC1lZDI1NTE5AAAAILHOdXbpzfrHJD14rcwvtGDHRrpn0BdjqIcErpLr07VR', 'alice@home', 40),
        ('AAAAC3NzaC1lZDI1NTE5AAAAIBBKKh9O8AaYgtNAZpX+LACVjaJxHJhcWF5D63ufx47v', '', 3)
      ) keys (key, comment, days)
      where username = 'alice'`)
  },
}
