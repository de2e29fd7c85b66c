import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../machine/installed.ts'
import type { DebianMachine } from '../machine/debian-machine.ts'
import type { ResourceTests } from '../resource-tests.ts'

const words = ['*/15 * * * *', 'cat /proc/self/cgroup; id -un']

export const tests: ResourceTests = {
  // A job of the account that the role sees.
  things: role => ({ 'cron-jobs': role === 'reseller' ? '4' : '1' }),
  asking: {
    async 'cron/rm'(shown) {
      const { id } = (await shown('cron', 'add', 'alice', ...words)) as { id: string }
      return ['cron', 'rm', 'alice', id]
    },
  },
  commands: account => ({
    'cron add': say => say(account, ...words),
    'cron ls': say => say(account),
    'cron set': say => say(account, say.shown['cron add']?.['id'], '--schedule', '@daily'),
    async 'cron run'(say) {
      // Within the account's limits, as systemd has them.
      const { last_run } = await say(account, say.shown['cron add']?.['id'])
      const isSo = /\/user-[0-9]+\.slice\//.test(last_run?.output)
      if (!isSo || !last_run.output.endsWith(`${account}\n`)) throw new Error(last_run?.output)
    },
    'cron rm': say => say(account, say.shown['cron add']?.['id'], '--yes'),
  }),
  // cron itself, as its unit is installed.
  async showApi(machine, _, account) {
    const path = `/accounts/${account}/cron-jobs`
    const client = clientOf(machine, await hostingToken(machine))
    const added = await client('POST', path, { schedule: '* * * * *', command: 'id -un; pwd' })
    if (added.status !== 201) throw new Error(JSON.stringify(added.body))
    const slow = JSON.parse(
      await machine.must('panel', 'cron', 'add', account, '@yearly', 'exec sleep 100', '--json'),
    ) as { id: string }
    const files = `/etc/panel/cron/$(id -u ${account})`
    await machine.must(
      ...(['sh', '-c'] as const),
      `sed -i 's/^timeout .*/timeout 2/' ${files}; ` +
        `perl /etc/panel/cron/run $(id -u ${account}) ${slow.id}`,
    )
    // It begins with a minute, and is recorded within another.
    const endsBy = Date.now() + 150_000
    let output: string | undefined
    while (output === undefined && Date.now() < endsBy) {
      await sleep(2_000)
      const listed = JSON.parse(await machine.must('panel', 'cron', 'ls', account, '--json'))
      output = listed.cron_jobs[0]?.last_run?.output
    }
    if (output !== `${account}\n/home/${account}\n`) throw new Error(`It says ${output}`)
    const all = JSON.parse(await machine.must('panel', 'cron', 'ls', account, '--json'))
    const { exit_code: code } = all.cron_jobs[1].last_run ?? {}
    if (code !== 124) throw new Error(`The time limit ended no run: ${code}`)
    for (const id of [added.body['id'], slow.id]) {
      const removed = await client('DELETE', `${path}/${id}`, {})
      if (removed.status !== 200) throw new Error(JSON.stringify(removed.body))
    }
  },
  async stage(pool) {
    await pool.query(`
      insert into panel.cron_jobs (account_id, schedule, command, desired, running_since,
        last_started_at, last_ended_at, last_exit_code, last_output)
      select id, schedule, command, 'present', case when code is null then now() end,
        case when code is not null then now() - interval '9 minutes' end,
        case when code is not null then now() - interval '530 seconds' end, code, output
      from panel.accounts, (values
        ('*/15 * * * *', 'php sites/alice.example/public/wp-cron.php', 0, ''),
        ('30 3 * * 1', './backup.sh --to files/backups', 2, 'backup.sh: files/backups: full'),
        ('0 8-18/2 * * 1-5', 'php sites/shop.alice.example/bin/console mail:send', null, null)
      ) jobs (schedule, command, code, output)
      where username in ('alice', 'rob')
      order by username`)
    await pool.query(`
      insert into panel.own_crontabs
      select id, '1', array['MAILTO=""', '17 4 * * * ./rotate.sh'] from panel.accounts
      where username = 'alice'`)
  },
}

async function hostingToken(machine: DebianMachine): Promise<string> {
  const words = ['--owner', 'admin', '--permission', 'Provisioning and hosting', '--json']
  const made = await machine.must('panel', 'token', 'create', ...words)
  return (JSON.parse(made) as { token: string }).token
}
