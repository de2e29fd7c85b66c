import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

// A mail server that keeps what it receives (RFC 5321), as far as msmtp and the courier need one.

export type Received = {
  from: string
  to: string[]
  text: string
  login: string | undefined
  isEncrypted: boolean
}

export type SmtpServer = {
  port: number
  received: Received[]
  /** Each name and password that was sent, whatever its answer. */
  logins: string[]
  /** Its answers: at once, never, or refusing the recipients, the message or the login. */
  mode: 'accepts' | 'silent' | 'refuses-recipients' | 'refuses-message' | 'refuses-login'
  /** Milliseconds before it accepts a message. */
  delayMs: number
  connections: number
}

type Options = { port?: number; host?: string; tls?: { key: string; cert: string } }

/** Starts a mail server; with a certificate it offers STARTTLS. */
export async function startSmtpServer(t: Test, options: Options = {}): Promise<SmtpServer> {
  const state: SmtpServer = {
    port: 0,
    received: [],
    logins: [],
    mode: 'accepts',
    delayMs: 0,
    connections: 0,
  }
  const open = new Set<Socket>()
  const server = createServer(socket => {
    state.connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    if (state.mode !== 'silent') talk(socket, state, options.tls, false)
  })
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  state.port = (server.address() as AddressInfo).port
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return state
}

function talk(
  socket: Socket | TLSSocket,
  state: SmtpServer,
  tls: Options['tls'],
  isEncrypted: boolean,
): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let login: string | undefined
  let [from, to, lines]: [string, string[], string[] | undefined] = ['', [], undefined]
  const reader = createInterface({ input: socket, crlfDelay: Infinity })
  reader.on('error', () => undefined)
  reader.on('line', line => {
    if (lines !== undefined) {
      if (line !== '.') return void lines.push(line.replace(/^\./, ''))
      const text = lines.join('\n')
      lines = undefined
      if (state.mode === 'refuses-message') return void say('554 5.7.1 looks like spam')
      state.received.push({ from, to, text, login, isEncrypted })
      return void setTimeout(() => say('250 2.0.0 accepted'), state.delayMs)
    }
    const [, word = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
    switch (word.toUpperCase()) {
      case 'EHLO': {
        const offers = tls !== undefined && !isEncrypted ? ['STARTTLS'] : ['AUTH PLAIN']
        const all = ['mail.test', 'SIZE 52428800', ...offers]
        all.forEach((one, at) => say(`250${at === all.length - 1 ? ' ' : '-'}${one}`))
        return
      }
      case 'STARTTLS': {
        if (tls === undefined) return void say('502 5.5.1 no encryption here')
        say('220 go ahead')
        reader.close()
        socket.removeAllListeners('data')
        const secureContext = createSecureContext(tls)
        const secure = new TLSSocket(socket, { isServer: true, secureContext })
        secure.on('error', () => undefined)
        return talk(secure, state, tls, true)
      }
      case 'AUTH': {
        login = Buffer.from(rest.split(' ')[1] ?? '', 'base64').toString()
        state.logins.push(login)
        if (state.mode === 'refuses-login') return void say('535 5.7.8 wrong password')
        return void say('235 2.7.0 welcome')
      }
      case 'MAIL':
        from = /<(.*?)>/.exec(rest)?.[1] ?? ''
        to = []
        return void say('250 2.1.0 sender ok')
      case 'RCPT':
        if (state.mode === 'refuses-recipients') return void say('550 5.1.1 no such mailbox')
        to.push(/<(.*?)>/.exec(rest)?.[1] ?? '')
        return void say('250 2.1.5 recipient ok')
      case 'DATA':
        lines = []
        return void say('354 go on')
      case 'QUIT':
        say('221 bye')
        return void socket.end()
      default:
        return void say('250 ok')
    }
  })
  if (!isEncrypted) say('220 mail.test ready')
}
