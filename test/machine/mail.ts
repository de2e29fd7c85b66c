import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import { until } from '../support/until.ts'
import { asUser, openLinuxPanel, putFile, startServices, visit } from './machine.ts'

// Two accounts whose scripts send mail, by a real php-fpm, the mail service and msmtp.

export const simple = ['joe@example.org', 'Hello', 'How are you?']

/** Opens a panel with the accounts alice and bob, and a mail server. */
export async function openMail(t: Test) {
  startServices('nginx', 'sshd', 'cron')
  const plain = await startSmtpServer(t)
  const panel = await openLinuxPanel(t)
  const stateDir = dirname(panel.root)
  const startWorker = () => panel.startMachineWorker({ PANEL_KEY: join(stateDir, 'key') })
  const worker = await startWorker()
  const environment = {
    ...{ DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: stateDir },
    PANEL_HOST: 'linux',
  }
  const panelCall = (words: string[], input?: string) => callPanel(words, environment, input)
  const relay = (...words: string[]) => panelCall(['mail', 'relay', ...words])

  const put = (body: object) => panel.call('PUT', '/api/v1/packages/starter', { body })
  await put({ memory_mb: 128, max_sites: 3, mails_per_hour: 100 })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
    if (status !== 201) throw new Error(text)
  }
  const { rows } = await panel.pool.query('select username, uid from panel.accounts')
  const uidOf = (username: string): number => rows.find(row => row.username === username).uid

  /** Returns what mail() returns, called with these arguments. */
  async function mailed(args: unknown[], name = 'alice'): Promise<boolean> {
    const code = `<?php echo json_encode(mail(...json_decode(file_get_contents('args'))));`
    const folder = `/home/${name}/sites/${name}.example/public`
    await putFile({ uid: uidOf(name) }, `${folder}/args`, JSON.stringify(args))
    await putFile({ uid: uidOf(name) }, `${folder}/mail.php`, code)
    return JSON.parse((await visit(`${name}.example`, '/mail.php')).text)
  }

  const log = (name: string) => readFileSync(`/home/${name}/logs/php.log`, 'utf8')
  /** Returns the line that a refused message leaves in PHP's log. */
  async function refused(args: unknown[], name = 'alice'): Promise<string> {
    const before = log(name).length
    if (await mailed(args, name)) throw new Error('It was sent')
    await until(() => log(name).length > before, 5_000)
    return log(name).slice(before)
  }

  /** Hands a message to the program as a script may, past mail(). */
  const handIn = (text: string, user = uidOf('alice')) =>
    asUser(user, ['perl', '/etc/panel/mail/sendmail'], text)

  const setPlain = () =>
    relay(
      ...['set', '127.0.0.1', '--port', String(plain.port), '--tls', 'none'],
      ...['--from-domain', 'mail.example.net'],
    )
  const users = { uid: uidOf('alice'), bobUid: uidOf('bob') }
  const mail = { mailed, refused, handIn, plain, counted: () => plain.received.length }
  return { ...users, ...mail, panel, worker, startWorker, panelCall, relay, put, setPlain }
}
