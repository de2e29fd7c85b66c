import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool } from '../db.ts'
import { replyTo } from '../http/reply.ts'
import type { OpenRoute } from '../http/server.ts'
import { showAccount } from './account.ts'
import { message } from './page.ts'
import { sessionCookie } from './session-cookie.ts'
import { signOn } from './sign-on.ts'

/** The panel's own pages. They accept sessions, and no API tokens. */
export function webRoutes(pool: Pool, baseUrl: string): OpenRoute[] {
  const { protocol, origin } = new URL(baseUrl)
  const cookie = sessionCookie(protocol === 'https:', 'customer')
  const style = {
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: readFileSync(join(import.meta.dirname, 'panel.css')),
  }
  const routes: OpenRoute[] = [
    {
      path: '/sso/:token',
      methods: ['GET', 'POST'],
      handler: signOn(pool, cookie, origin),
    },
    { path: '/account', handler: showAccount(pool, cookie) },
    {
      path: '/panel.css',
      handler: async () => ({ ...style, headers: { ...style.headers } }),
    },
  ]
  return routes.map(withErrorPage)
}

// People get a failure as a page. It is logged by its route, because the address may be a secret.
const withErrorPage = ({ handler, ...route }: OpenRoute): OpenRoute => ({
  ...route,
  handler: async request => {
    try {
      return await handler(request)
    } catch (error) {
      const { status, headers } = replyTo(error, { method: request.method, path: route.path })
      const reply = message(status, 'That did not work', 'The panel has a problem. Try again soon.')
      return { ...reply, headers: { ...headers, ...reply.headers } }
    }
  },
})
