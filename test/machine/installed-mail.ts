import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Received } from '../support/smtp-server.ts'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, visit } from './installed.ts'

// PHP's mail() on an installed panel, under its units, to a mail server on the same machine.

const folder = '/srv/smtp'
export const port = 2525
const program = `import { renameSync, writeFileSync } from 'node:fs'
import { startSmtpServer } from './smtp-server.ts'
const server = await startSmtpServer({ teardown() {} }, { port: ${port} })
setInterval(() => {
  writeFileSync('${folder}/next', JSON.stringify(server.received))
  renameSync('${folder}/next', '${folder}/received')
}, 50)
`

/** Starts a mail server on the machine; returns a function that reads what it has got. */
export function startOutside(t: Test, machine: DebianMachine): () => Promise<Received[]> {
  mkdirSync(join(machine.root, folder), { recursive: true })
  const server = join(import.meta.dirname, '../support/smtp-server.ts')
  cpSync(server, join(machine.root, folder, 'smtp-server.ts'))
  writeFileSync(join(machine.root, folder, 'run.ts'), program)
  const node = ['/opt/panel/current/node', `${folder}/run.ts`]
  const { stop } = machine.start(node)
  t.teardown(stop)
  return async () => JSON.parse((await machine.run(['cat', `${folder}/received`])).stdout || '[]')
}

export async function showMail(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('GET', '/accounts/bob'), { body: { state: 'active' } })
  const received = startOutside(t, machine)
  const file = '/home/bob/sites/bob.example/public/mail.php'
  const code = `<?php echo json_encode(mail('joe@example.org', 'Hello', 'x', '', '-X/tmp/x'));`
  const asBob = ['runuser', '-u', 'bob', '--']
  await machine.run([...asBob, 'tee', file], code)
  const send = () => visit(machine, 'bob.example', '/mail.php')
  const log = () => machine.must('cat', '/home/bob/logs/php.log')

  t.match(await send(), /^200 false/)
  t.ok(await until(async () => (await log()).includes('This server has no mail relay')))
  const where = ['127.0.0.1', '--port', String(port), '--tls', 'none']
  const sender = ['--user', 'panel', '--from-domain', 'mail.example.net', '--password-stdin']
  const set = ['panel', 'mail', 'relay', 'set', ...where, ...sender]
  t.match(await machine.run(set, 'a password\n'), { code: 0 })
  t.match(await send(), /^200 true/)
  t.ok(await until(async () => (await received()).length === 1))
  const [first] = await received()
  t.match(first, { from: 'bob@mail.example.net', to: ['joe@example.org'] })
  t.equal(first?.login, '\0panel\0a password')

  await t.test('nothing of it is open to the account', async t => {
    for (const path of ['/etc/panel/mail/relay-password', '/var/lib/panel-submit/']) {
      const { code } = await machine.run([...asBob, 'cat', path])
      t.not(code, 0, path)
    }
    const { stdout } = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] }
    const ours = checks.filter(({ name }) => name.startsWith('mail/'))
    t.strictSame([...new Set(ours.map(({ state }) => state))], ['ok'], JSON.stringify(ours))
  })

  await t.test('the service is closed, and comes back by itself', async t => {
    const unit = '/etc/systemd/system/panel-submit.service'
    const output = await machine.must('systemd-analyze', 'security', '--offline=true', unit)
    const level = Number(/Overall exposure level for \S+: ([0-9.]+)/.exec(output)?.[1])
    t.ok(level <= 1.8, `${level}`)
    await machine.must('systemctl', 'kill', '-s', 'KILL', 'panel-submit.service')
    t.match(await send(), /^200 true/)
    const later = await machine.must('systemctl', 'stop', 'panel-submit.service')
    t.match(await send(), /^200 true/, later)
    await machine.must('panel', 'account', 'suspend', 'bob')
    const message = 'To: joe@example.org\n\nx'
    const hand = [...asBob, 'perl', '/etc/panel/mail/sendmail']
    t.match(await machine.run(hand, message), { code: 69, stderr: /This user cannot send mail/ })
    await machine.must('panel', 'account', 'unsuspend', 'bob')
    t.match(await send(), /^200 true/)
  })

  await machine.must('panel', 'mail', 'relay', 'rm')
  t.match(await send(), /^200 false/)
  await machine.run([...asBob, 'rm', file])
}
