import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** The fate of a client's chunk: it passes, or the connection is lost before or after it. */
export type Verdict = 'pass' | 'lose before' | 'lose after'

/**
 * A stand-in for the network between a process and PostgreSQL: passes everything on, until `decide`
 * says that the connection is lost before a chunk arrives, or after it and before the answer
 * comes back.
 */
export async function proxy(
  t: Test,
  databaseUrl: string,
  decide: (chunk: Buffer) => Verdict,
): Promise<string> {
  const url = new URL(databaseUrl)
  const target = join(decodeURIComponent(url.hostname), '.s.PGSQL.5432')
  const folder = await mkdtemp(join(tmpdir(), 'panel-proxy-'))
  const open = new Set<Socket>()
  const server = createServer(client => {
    const upstream = createConnection(target)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    upstream.on('data', chunk => client.write(chunk))
    client.on('data', chunk => {
      const verdict = decide(chunk)
      if (verdict === 'lose before') return client.destroy()
      if (verdict === 'lose after') {
        // A chunk that has arrived is executed, but its answer is lost.
        upstream.removeAllListeners('data')
        upstream.once('data', () => client.destroy())
      }
      return upstream.write(chunk)
    })
  })
  server.listen(join(folder, '.s.PGSQL.5432'))
  t.teardown(async () => {
    server.close()
    for (const socket of open) socket.destroy()
    await rm(folder, { recursive: true })
  })
  url.hostname = encodeURIComponent(folder)
  return url.href
}
