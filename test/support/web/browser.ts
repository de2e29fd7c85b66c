import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Test } from 'tap'
import { alice, openPanel, type Panel } from '../panel.ts'

export type Page = { status: number; headers: IncomingHttpHeaders; text: string }

export type Visit = { method?: string; headers?: Record<string, string>; body?: string }

/** Requests as a browser that navigates; `fetch` would send that it only fetches. */
export async function visit(
  url: string,
  { method = 'GET', headers = {}, body }: Visit,
): Promise<Page> {
  const sent = request(url, { method, headers, agent: false })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text: Buffer.concat(chunks).toString(),
  }
}

/** Chrome's headers when a person follows a link from elsewhere. */
export const chrome = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-user': '?1',
}

export type Web = {
  panel: Panel
  /** Makes a link and returns its path. */
  link: (username?: string) => Promise<string>
  visit: (path: string, how?: Visit) => Promise<Page>
}

/** A panel with alice's account on it. */
export async function openWeb(t: Test): Promise<Web> {
  const panel = await openPanel(t)
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  await panel.call('POST', '/api/v1/accounts', { body: alice })
  return {
    panel,
    link: async (username = 'alice') => {
      const { body } = await panel.call('POST', `/api/v1/accounts/${username}/login`)
      return new URL(body.url).pathname
    },
    visit: (path, how = {}) => visit(`${panel.baseUrl}${path}`, how),
  }
}

/** The cookie that an answer sets, as it is sent back. */
export const cookieOf = ({ headers }: Page): string =>
  (headers['set-cookie']?.[0] ?? '').split(';', 1)[0] ?? ''
