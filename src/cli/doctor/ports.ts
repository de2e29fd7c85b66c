import { once } from 'node:events'
import { type ClientRequest, request, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect, type Socket } from 'node:net'
import { isLoopback } from '../../config.ts'
import { listSshPorts } from '../../host/services/service-health.ts'
import { type Checks, fixedBy, failure, requireKernel, warning, well } from './check.ts'

const timeoutMs = 3_000

/** The answer of a panel at /healthz. */
const healthy = '{"status":"ok"}'

type Answer = { status: number | undefined; body: string }

/** Checks the ports that servers listen on. */
export const portChecks: Checks = {
  async panel({ config, starter }) {
    const { listen, socket } = config
    const where = socket ?? `${listen.host} port ${listen.port}`
    const answer = await ask(
      socket === null
        ? { host: reachable(listen.host), port: listen.port, path: '/healthz' }
        : { socketPath: socket, path: '/healthz' },
    )
    if (typeof answer === 'string') {
      const advice = `Start ${starter === 'panel start' ? starter : 'panel-api'}`
      return failure(`Nothing answers at ${where} (${answer})`, advice)
    }
    // Other checks find out whether each part of it is ready.
    if (answer.status === 200 && answer.body === healthy)
      return well(`The panel answers at ${where}`)
    const words = `Another program than the panel answers ${answer.status} at ${where}`
    return failure(words, 'Find out which program it is: ss -ltnp')
  },
  'clear-text'({ config }) {
    const { listen, socket, baseUrl } = config
    const isOpen = socket === null && !isLoopback(listen.host)
    const { protocol, hostname } = new URL(baseUrl)
    const isClear = protocol === 'http:' && !isLoopback(hostname)
    if (!isOpen && !isClear) return well('Tokens are never sent unencrypted over a network')
    const words = `Tokens and passwords are sent unencrypted over the network: ${baseUrl}`
    return warning(
      words,
      'Listen on loopback behind a proxy with TLS, and set PANEL_BASE_URL to its https:// address',
    )
  },
  async http(panel) {
    requireKernel(panel)
    // A name that no website may have (RFC 6761), so that the default answers.
    const headers = { host: 'doctor.invalid' }
    const answer = await ask({ host: '127.0.0.1', port: 80, path: '/', headers })
    if (typeof answer === 'string') {
      const words = `Nothing answers on port 80 (${answer}): no website is served`
      return fixedBy(failure(words, 'systemctl start nginx'), {
        do: 'start-service',
        service: 'nginx',
      })
    }
    if (answer.status === 421) return well('nginx answers on port 80, for its websites only')
    const words = `An unknown name on port 80 is answered ${answer.status}, not by our nginx`
    return failure(
      words,
      'Find out what listens (ss -ltnp), and look for another default_server in nginx',
    )
  },
  async https(panel) {
    requireKernel(panel)
    const error = await tryConnect(443)
    if (error === undefined) return well('A server listens on port 443')
    const words = `Nothing listens on port 443 (${error}): no website is served over HTTPS`
    return failure(words, 'Restart nginx')
  },
  async ssh(panel) {
    requireKernel(panel)
    // The port in sshd's configuration, which customers are shown if it is not 22.
    const [port = 22] = (await listSshPorts(panel.machine)) ?? []
    const answer = await greeting(port)
    if (answer.startsWith('SSH-2.0-')) return well(`sshd answers on port ${port}`)
    const words = `sshd does not answer on port ${port} (${answer}): SFTP logins fail there`
    return fixedBy(warning(words, 'systemctl start ssh'), { do: 'start-service', service: 'ssh' })
  },
}

const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host

const ask = (to: RequestOptions): Promise<Answer | string> =>
  first(request({ ...to, agent: false, signal: late() }).end(), 'response', toAnswer)

async function toAnswer(response: IncomingMessage): Promise<Answer> {
  const body: unknown[] = await response.take(1).toArray()
  return { status: response.statusCode, body: String(body[0] ?? '') }
}

const tryConnect = (port: number): Promise<string | undefined> =>
  first(connect({ host: '127.0.0.1', port }), 'connect', () => undefined)

/** Returns the first data that a server sends by itself, or why there is none. */
const greeting = (port: number): Promise<string> =>
  first(connect({ host: '127.0.0.1', port }), 'data', text => String(text).slice(0, 40).trim())

/** Returns the data of the first such event, or why there is none. */
async function first<Brought, Result>(
  asked: Socket | ClientRequest,
  event: string,
  read: (brought: Brought) => Result | Promise<Result>,
): Promise<Result | string> {
  try {
    const [brought] = await once(asked, event, { signal: late() })
    return await read(brought)
  } catch (error) {
    return codeOf(error)
  } finally {
    asked.on('error', () => undefined).destroy()
  }
}

const late = (): AbortSignal => AbortSignal.timeout(timeoutMs)

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException
  return name === 'AbortError' || name === 'TimeoutError' ? 'no answer' : `${code}`
}
