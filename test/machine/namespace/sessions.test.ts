import t from 'tap'
import { alice } from '../../support/panel.ts'
import { asUser, openLinuxPanel, run, startServices } from '../machine.ts'
import { tendHomes } from '../tend.ts'

// PHP's sessions last for a day, whatever a script says that is less.

startServices('nginx')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 256 } })
const body = { ...alice, username: 'eve', domain: 'eve.example' }
const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
if (status !== 201) throw new Error(text)
const { rows } = await panel.pool.query('select uid from panel.accounts')
const open = '/home/eve/sites/eve.example/public'

const as = async (script: string) => {
  const { code, stderr } = await asUser(rows[0].uid, ['sh', '-ec', `cd /home/eve; ${script}`])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
}
const tend = async () => t.ok(await tendHomes(panel))

t.test('sessions end, and nothing else that is called so', async t => {
  const script = `cd tmp; touch sess_new sess_link-target other
    touch -d '23 hours ago' sess_day
    touch -d '25 hours ago' sess_old "sess_a
b" sess_-delete; for i in $(seq 5000); do echo sess_$i; done | xargs touch -d '30 hours ago'
    mkdir -p sess_folder/sess_in; touch -d '2 days ago' sess_folder/sess_old other
    ln -s /home/eve/files/kept sess_link; touch ../files/kept; touch -h -d '2 days ago' sess_link
    mkfifo sess_fifo; touch -d '2 days ago' sess_fifo ../files/kept sess_folder`
  await as(script)
  await as(`cat >${open}/session.php <<'E'
<?php session_start(); echo $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
E`)
  const cookie = ['-b', '/tmp/jar', '-c', '/tmp/jar', '--resolve', 'eve.example:80:127.0.0.1']
  const count = async () =>
    (await run('curl', ['-sS', ...cookie, 'http://eve.example/session.php'])).stdout
  t.equal(await count(), '1')
  await tend()
  const { stdout } = await run('ls', ['/home/eve/tmp'])
  const left = stdout
    .trim()
    .split('\n')
    .filter(name => !/^sess_[a-z0-9]{26,}$/.test(name))
  const kept = [
    'other',
    'sess_day',
    'sess_fifo',
    'sess_folder',
    'sess_link',
    'sess_link-target',
    'sess_new',
  ]
  t.strictSame(left.sort(), kept)
  t.equal((await run('ls', ['/home/eve/files/kept'])).code, 0)
  t.equal((await run('ls', ['-A', '/home/eve/tmp/sess_folder'])).stdout, 'sess_in\nsess_old\n')
  t.equal(await count(), '2', 'one in use goes on')
  await as(`touch -d '23 hours ago' tmp/sess_????*`)
  await tend()
  t.equal(await count(), '3', 'a script may say that it lasts a day')
  await as(`touch -d '25 hours ago' tmp/sess_????*`)
  await tend()
  t.equal(await count(), '1')
})
