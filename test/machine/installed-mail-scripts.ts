import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { visit } from './installed.ts'
import { port, startOutside } from './installed-mail.ts'

// PHP's mail() on an installed panel with mailboxes: to a mailbox, and to another server.

const publicFolder = '/home/bob/sites/bob.example/public'

/** `arrived` waits for a message with a subject in the mailbox joe@bob.example. */
export async function showScripts(
  t: Test,
  machine: DebianMachine,
  arrived: (subject: string) => Promise<boolean | undefined>,
): Promise<void> {
  const received = startOutside(t, machine)
  const asBob = ['runuser', '-u', 'bob', '--']
  const file = `${publicFolder}/mail.php`
  const code = `<?php echo json_encode(mail($_GET['to'], $_GET['subject'], 'x', $_GET['more']));`
  await machine.run([...asBob, 'tee', file], code)
  const send = (to: string, subject: string, more = '') =>
    visit(machine, 'bob.example', `/mail.php?${new URLSearchParams({ to, subject, more })}`)
  const main = '/etc/postfix/main.cf'
  await machine.must('cp', main, '/root/main.cf')

  t.match(await send('joe@bob.example', 'From a script'), /^200 true/)
  t.ok(await arrived('From a script'), 'in a mailbox of the server')
  await machine.must('postconf', '-e', `relayhost = [127.0.0.1]:${port}`)
  await machine.must('systemctl', 'reload', 'postfix')
  const shop = 'From: Shop <shop@bob.example>'
  t.match(await send('eve@outside.example', 'Away', shop), /^200 true/)
  t.ok(await until(async () => (await received()).length > 0, 30_000), 'at another server')
  const [first] = await received()
  t.match(first, { from: 'shop@bob.example', to: ['eve@outside.example'] })
  t.match(first?.text, /^From: Shop <shop@bob\.example>$/m)
  t.match(first?.text, /^DKIM-Signature: [^:]*\bd=bob\.example;/m)
  t.match(await send('eve@outside.example', 'Forged', 'From: ceo@bank.example'), /^200 true/)
  t.ok(await until(async () => (await received()).length > 1, 30_000))
  const second = (await received())[1]
  t.match(second, { from: 'bob@bob.example' })
  t.match(second?.text, /^From: bob@bob\.example$/m)
  t.match(await machine.must('journalctl', '-o', 'cat', '-t', 'postfix/scripts/smtpd'), /=script-/)

  await machine.must('panel', 'account', 'suspend', 'bob')
  const hand = [...asBob, 'perl', '/etc/panel/mail/sendmail']
  t.match(await machine.run(hand, 'To: eve@outside.example\n\nx'), { code: 69 })
  await machine.must('panel', 'account', 'unsuspend', 'bob')
  await machine.must('systemctl', 'kill', '-s', 'KILL', 'panel-submit.service')
  t.match(await send('joe@bob.example', 'After a kill'), /^200 true/)
  t.ok(await arrived('After a kill'))
  await machine.must('cp', '/root/main.cf', main)
  await machine.must('systemctl', 'reload', 'postfix')
  await machine.run([...asBob, 'rm', file])
}
