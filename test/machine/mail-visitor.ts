import { join } from 'node:path'
import type { DebianMachine } from './debian-machine.ts'

// Mail programs of people, in the network of a machine: nodemailer sends, and curl reads by IMAP.

export type Login = { user: string; pass: string }

type Message = {
  port: 25 | 465 | 587
  from: string
  to: string
  subject: string
  login?: Login
  /** Options of nodemailer's transport. */
  transport?: object
}

export type Answer = { code: number; text: string }

const program = join(import.meta.dirname, 'fixtures/send-mail.ts')

/**
 * Sends a message to the mail server of a machine: by TLS from the first byte on port 465, and
 * after STARTTLS on 587. Returns the last answer of the server, with 0 for a lost connection.
 */
export async function sendTo(machine: DebianMachine, message: Message): Promise<Answer> {
  const { port, from, to, subject, login, transport = {} } = message
  const security = { secure: port === 465, requireTLS: port === 587, ignoreTLS: port === 25 }
  const request = {
    transport: { host: '127.0.0.1', port, ...security, auth: login, ...transport },
    message: { from, to, subject, text: 'Hi.' },
  }
  const { stdout, stderr } = await machine.reach(
    [process.execPath, program],
    JSON.stringify(request),
  )
  if (stdout === '') throw new Error(`nodemailer ended: ${stderr}`)
  return JSON.parse(stdout) as Answer
}

/** Returns the messages of the inbox; undefined if the login is refused. */
export async function readFrom(
  machine: DebianMachine,
  { user, pass }: Login,
): Promise<string[] | undefined> {
  const curl = ['curl', '-sS', '-k', '--max-time', '30', '--user', `${user}:${pass}`]
  const messages: string[] = []
  for (;;) {
    const url = `imaps://127.0.0.1:993/INBOX;MAILINDEX=${messages.length + 1}`
    const { code, stdout, stderr } = await machine.reach([...curl, url])
    if (code === loginDenied) return undefined
    if (code === noMessage) return messages
    if (code !== 0) throw new Error(`curl ended with ${code}: ${stderr}`)
    messages.push(stdout)
  }
}

// Exit codes of curl.
const [loginDenied, noMessage] = [67, 78]
