import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openApi } from '../../../src/api/app.ts'
import { listenAt } from '../../../src/http/listen.ts'
import { vendorKey } from '../../../src/model/server/license.ts'
import { surroundings, type Panel } from '../panel.ts'
import { scratch } from '../scratch.ts'

/** The address of a call. */
export type Channel = { socketPath: string } | { host: string; port: number }
/** A header that is sent more than once has a list. */
export type Headers = Record<string, string | string[]>

/** A further API on the panel's database, listening at a host or on a Unix socket. */
export async function openChannel(
  t: Test,
  { databaseUrl }: Panel,
  { host, trusted = [] }: { host?: string; trusted?: string[] },
): Promise<Channel> {
  const folder = scratch(t)
  const api = await openApi({
    databaseUrl,
    baseUrl: 'https://panel.test:8443',
    ...surroundings,
    ownNames: [],
    proxies: { isSocket: host === undefined, trusted },
    license: { file: join(folder, 'license'), key: vendorKey, isDevelopment: true },
  })
  t.teardown(api.stop)
  const socketPath = join(folder, 'api.sock')
  await listenAt(api.server, host === undefined ? socketPath : { host, port: 0 })
  if (host === undefined) return { socketPath }
  return { host, port: (api.server.address() as AddressInfo).port }
}

/** A GET with a token; returns the status of its answer. */
export function get(channel: Channel, token: string, headers: Headers = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = '/api/v1/packages'
    const sent = { ...headers, authorization: `Bearer ${token}`, connection: 'close' }
    request({ ...channel, path, headers: sent }, response => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', reject)
      .end()
  })
}
