import t from 'tap'
import { until } from '../../support/until.ts'
import { openAdminerPanel, sql } from '../adminer.ts'
import { run } from '../machine.ts'

// Adminer's PHP as a unit: it has no network and sees no home, and systemd starts it again.

const { alice, enter } = await openAdminerPanel(t)
const uid = (await run('id', ['-u', 'panel-adminer'])).stdout.trim()
const unit = `panel-php@${uid}.service`

t.test('Adminer answers in a unit with more restrictions than an account’s', async t => {
  const window = await enter(alice)
  t.match(await window.ask('/?select=own'), { status: 200, text: /mine/ })
  t.match(await sql(window, 'INSERT INTO own VALUES ("by Adminer")'), /OK/)
  const shown = await run('systemctl', [
    ...['show', unit, '-p', 'PrivateNetwork', '-p', 'ProtectSystem', '-p', 'TasksMax'],
  ])
  t.match(shown.stdout, /^PrivateNetwork=yes$/m)
  t.match(shown.stdout, /^ProtectSystem=strict$/m)
  t.match(shown.stdout, /^TasksMax=64$/m)
  const pid = (await run('systemctl', ['show', '--value', '-p', 'MainPID', unit])).stdout.trim()
  const inside = (...command: string[]) =>
    run('nsenter', ['--target', pid, '--mount', '--net', '--', ...command])
  t.equal((await inside('ls', '-A', '/home')).stdout, '')
  t.notMatch((await inside('ip', '-o', 'link')).stdout, /eth|host|ve-/)
})

t.test('stopped, it is started by the next request', async t => {
  const window = await enter(alice)
  await run('systemctl', ['stop', unit])
  await until(async () => (await window.ask('/?select=own')).text.includes('mine'))
  t.pass()
})
