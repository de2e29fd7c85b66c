import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { PanelError } from '../errors.ts'

// The processes of a start that was just killed may still have the port.
const timeoutMs = 1_000
const pollMs = 50

/**
 * Makes sure that the panel's address is free. Port 0 is replaced by a free one here, so that
 * parent and children know the same.
 *
 * @throws {PanelError} busy, forbidden
 */
export async function withPort(config: Config): Promise<Config> {
  const port = await freePort(config.listen.host, config.listen.port)
  return {
    ...config,
    listen: { ...config.listen, port },
    // The default is made from the address, whose port may have been 0.
    baseUrl: config.baseUrl.replace(/:0$/, `:${port}`),
  }
}

async function freePort(host: string, port: number): Promise<number> {
  const end = Date.now() + timeoutMs
  for (;;) {
    try {
      return await tryPort(host, port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE') throw refusal(host, port, code)
      if (Date.now() > end) throw refusal(host, port, code)
      await sleep(pollMs)
    }
  }
}

async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : port
}

function refusal(host: string, port: number, code: string | undefined): PanelError {
  const other = 'set PANEL_LISTEN to another address and port'
  if (code === 'EADDRINUSE') {
    return new PanelError('busy', `Port ${port} on ${host} is in use by another program: ${other}`)
  }
  if (code === 'EACCES') {
    return new PanelError('forbidden', `Only root may listen on port ${port}: ${other}`)
  }
  return new PanelError('unavailable', `Cannot listen on ${host} port ${port} (${code}): ${other}`)
}
