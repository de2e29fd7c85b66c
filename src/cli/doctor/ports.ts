import { once } from 'node:events'
import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { isLoopback } from '../../config.ts'
import { type Check, failure, type DoctorContext, requireKernel, warning, well } from './check.ts'

const patienceMs = 3_000

/** What a panel says of itself at /healthz. */
const healthy = '{"status":"ok"}'

type Answer = { status: number | undefined; body: string }

/** Who listens where. */
export const portChecks: Check[] = [
  {
    name: 'ports/panel',
    async look({ config, starter }) {
      const { listen, socket } = config
      const where = socket ?? `${listen.host} port ${listen.port}`
      const answer = await ask(
        socket === null
          ? { host: reachable(listen.host), port: listen.port, path: '/healthz' }
          : { socketPath: socket, path: '/healthz' },
      )
      if (typeof answer === 'string') {
        const advice = `Start ${starter === 'panel start' ? starter : 'panel-api'}`
        return failure(`Nobody answers at ${where} (${answer})`, advice)
      }
      // Whether all of it is ready other checks tell, each for its part.
      if (answer.status === 200 && answer.body === healthy)
        return well(`The panel answers at ${where}`)
      const words = `At ${where} something answers ${answer.status} that is no panel`
      return failure(words, 'See which program it is: ss -ltnp')
    },
  },
  {
    name: 'ports/clear-text',
    look({ config }) {
      const { listen, socket, baseUrl } = config
      const isOpen = socket === null && !isLoopback(listen.host)
      const { protocol, hostname } = new URL(baseUrl)
      const isClear = protocol === 'http:' && !isLoopback(hostname)
      if (!isOpen && !isClear) return well('Tokens cross no network in clear')
      const words = `Tokens and passwords cross the network in clear: ${baseUrl}`
      return warning(words, 'Listen on loopback behind a proxy with TLS, and name it https://')
    },
  },
  {
    name: 'ports/http',
    async look(panel) {
      requireKernel(panel)
      // A name that no website may have (RFC 6761), so that the default answers.
      const headers = { host: 'doctor.invalid' }
      const answer = await ask({ host: '127.0.0.1', port: 80, path: '/', headers })
      if (typeof answer === 'string') {
        const words = `Nobody answers on port 80 (${answer}): no website is served`
        return failure(words, 'systemctl start nginx')
      }
      if (answer.status === 421) return well('nginx answers on port 80, and for its websites alone')
      const words = `On port 80 an unknown name is answered ${answer.status}, not by our nginx`
      return failure(words, 'See who listens (ss -ltnp), and for another default_server in nginx')
    },
  },
  listens('https', 443, 'no website is served by https', 'systemctl restart nginx'),
  {
    name: 'ports/ssh',
    async look(panel) {
      requireKernel(panel)
      const said = await greeting(22)
      if (said.startsWith('SSH-2.0-')) return well('sshd answers on port 22')
      const words = `On port 22 there is no sshd (${said}): nobody can log in by SFTP there`
      return warning(words, 'systemctl start ssh; if it listens elsewhere, tell your customers')
    },
  },
]

function listens(name: string, port: number, loss: string, advice: string): Check {
  return {
    name: `ports/${name}`,
    async look(panel: DoctorContext) {
      requireKernel(panel)
      const error = await tryConnect(port)
      if (error === undefined) return well(`Somebody listens on port ${port}`)
      return failure(`Nobody listens on port ${port} (${error}): ${loss}`, advice)
    },
  }
}

const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host

async function ask(to: RequestOptions): Promise<Answer | string> {
  const asked = request({ ...to, agent: false, signal: AbortSignal.timeout(patienceMs) })
  try {
    asked.end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const body: unknown[] = await response.take(1).toArray()
    return { status: response.statusCode, body: String(body[0] ?? '') }
  } catch (error) {
    return codeOf(error)
  } finally {
    asked.on('error', () => undefined).destroy()
  }
}

async function tryConnect(port: number): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(patienceMs) })
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}

/** The first of what a server says by itself, or why there is none. */
async function greeting(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    const [text] = await once(socket, 'data', { signal: AbortSignal.timeout(patienceMs) })
    return String(text).slice(0, 40).trim()
  } catch (error) {
    return codeOf(error)
  } finally {
    socket.on('error', () => undefined).destroy()
  }
}

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer' : `${code}`
}
