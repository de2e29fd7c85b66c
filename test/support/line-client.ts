import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

// A client of line-based protocols such as SMTP and IMAP, which sends exactly what it is given.

export type LineClient = {
  /** Everything received so far. */
  transcript: () => string
  /** Sends bytes as they are. */
  write: (text: string) => void
  /** Waits for the next line that matches, and returns it. */
  next: (line: RegExp) => Promise<string>
  /** Sends a line, and returns the last line of the answer of SMTP. */
  smtp: (line: string) => Promise<string>
  /** Sends a command of IMAP, and returns its whole answer. */
  imap: (command: string) => Promise<string>
  startTls: () => Promise<void>
  close: () => void
}

type Options = {
  port: number
  host?: string
  isTls?: boolean
  timeoutMs?: number
  localAddress?: string
}

/** Connects; the certificate is not checked. */
export async function openLines(options: Options): Promise<LineClient> {
  const { port, host = '127.0.0.1', isTls = false, timeoutMs = 40_000, localAddress } = options
  const insecure = { rejectUnauthorized: false } as const
  const from = localAddress === undefined ? {} : { localAddress }
  let socket: Socket = isTls
    ? connectTls({ port, host, ...from, ...insecure })
    : connectPlain({ port, host, ...from })
  let [all, rest] = ['', '']
  let isClosed = false
  const listen = () => {
    socket.on('data', (bytes: Buffer) => {
      all += bytes.toString('latin1')
      rest += bytes.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => (isClosed = true))
  }
  await once(socket, isTls ? 'secureConnect' : 'connect')
  listen()

  async function next(line: RegExp): Promise<string> {
    const end = Date.now() + timeoutMs
    for (;;) {
      const at = rest.indexOf('\n')
      if (at >= 0) {
        const found = rest.slice(0, at).replace(/\r$/, '')
        rest = rest.slice(at + 1)
        if (line.test(found)) return found
        continue
      }
      if (isClosed) return 'closed'
      if (Date.now() > end) throw new Error(`No ${line} in: ${all}`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }
  const last = /^\d{3} /
  let tag = 0
  const client: LineClient = {
    transcript: () => all,
    write: text => void socket.write(text),
    next,
    async smtp(line) {
      socket.write(`${line}\r\n`)
      return next(last)
    },
    async imap(command) {
      const from = all.length
      socket.write(`a${++tag} ${command}\r\n`)
      await next(new RegExp(`^a${tag} `))
      return all.slice(from)
    },
    async startTls() {
      await client.smtp('STARTTLS')
      socket.removeAllListeners('data')
      socket = connectTls({ socket, ...insecure })
      await once(socket, 'secureConnect')
      listen()
    },
    close: () => socket.destroy(),
  }
  return client
}

export type Sent = { code: number; text: string; transcript: string }

type Message = {
  port: number
  from: string
  to: string | string[]
  login?: { user: string; password: string } | undefined
  /** Headers and body; ends of lines are CRLF already, if `isRaw`. */
  text: string
  isRaw?: boolean
  host?: string
  /** The sender's own address. */
  localAddress?: string
}

/** Sends a message by SMTP, and returns the first refusal, or the final answer. */
export async function sendMail(message: Message): Promise<Sent> {
  const { port, from, to, login, text, isRaw = false, host, localAddress } = message
  const isTls = port === 465
  const client = await openLines({
    ...{ port, isTls },
    ...(host === undefined ? {} : { host }),
    ...(localAddress === undefined ? {} : { localAddress }),
  })
  const answers: string[] = [await client.next(/^\d{3} /)]
  const isRefused = () => !/^[23]/.test(answers.at(-1) ?? '')
  const say = async (line: string) => {
    if (!isRefused()) answers.push(await client.smtp(line))
  }
  await say('EHLO client.example')
  if (port === 587) {
    await client.startTls()
    await say('EHLO client.example')
  }
  if (login !== undefined) {
    const plain = Buffer.from(`\0${login.user}\0${login.password}`).toString('base64')
    await say(`AUTH PLAIN ${plain}`)
  }
  await say(`MAIL FROM:<${from}>`)
  for (const one of [to].flat()) await say(`RCPT TO:<${one}>`)
  await say('DATA')
  if (!isRefused()) {
    client.write(isRaw ? text : text.replaceAll('\n', '\r\n'))
    answers.push(await client.smtp('\r\n.'))
  }
  const answer = answers.at(-1) ?? ''
  const transcript = client.transcript()
  client.close()
  return { code: Number(answer.slice(0, 3)), text: answer, transcript }
}

/** Reads all messages of the inbox of a mailbox, or says why it cannot. */
export async function readInbox(user: string, password: string, folder = 'INBOX') {
  const client = await openLines({ port: 993, isTls: true })
  await client.next(/^\* OK/)
  const login = await client.imap(`LOGIN ${user} "${password}"`)
  if (!/^a1 OK/m.test(login)) {
    client.close()
    return { error: login, messages: [] }
  }
  await client.imap(`SELECT ${folder}`)
  const fetched = await client.imap('FETCH 1:* (BODY.PEEK[])')
  client.close()
  const messages = fetched.split(/^\* \d+ FETCH /m).slice(1)
  return { error: undefined, messages }
}
