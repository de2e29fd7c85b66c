import { randomUUID } from 'node:crypto'
import { visit, type Page } from './browser.ts'

/** A browser that keeps cookies, and sends forms as one does. */
export type Browser = {
  get: (path: string) => Promise<Page>
  submit: (
    path: string,
    fields?: Record<string, string>,
    more?: Record<string, string>,
  ) => Promise<Page>
  /** As they are sent. */
  cookies: () => string
  /** The same browser, with the same cookies, where the panel is now. */
  at: (baseUrl: string) => Browser
}

/** The name of the tests' panel. */
const origin = 'https://panel.test:8443'

export function openBrowser(baseUrl: string, jar = new Map<string, string>()): Browser {
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (page: Page): Page => {
    for (const header of page.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return page
  }
  return {
    cookies,
    at: other => openBrowser(other, jar),
    get: async path => keep(await visit(`${baseUrl}${path}`, { headers: { cookie: cookies() } })),
    submit: async (path, fields = {}, more = {}) =>
      keep(
        await visit(`${baseUrl}${path}`, {
          method: 'POST',
          headers: {
            ...{ cookie: cookies(), origin, 'sec-fetch-site': 'same-origin' },
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ key: randomUUID(), ...fields, ...more }).toString(),
        }),
      ),
  }
}

/** The fields of every form on a page. */
export const form = ({ text }: Page): Record<string, string> => ({
  token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '',
})
