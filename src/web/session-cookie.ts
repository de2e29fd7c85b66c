import type { IncomingMessage } from 'node:http'
import { isCookie } from '../model/sessions.ts'

/** The cookie of a session; it ends with the browser, or with the session in the database. */
export type SessionCookie = {
  toHeader: (session: string) => string
  /** The session that a request carries, if it has the form of one. */
  read: (message: IncomingMessage) => string | undefined
}

/**
 * Owners and customers have a cookie each, so that a sign-on link never ends an owner's session.
 * `__Host-` binds it to this host and https (RFC 6265bis), so it can't be used without https.
 */
export function sessionCookie(isSecure: boolean, of: 'owner' | 'customer'): SessionCookie {
  const own = of === 'owner' ? 'panel' : 'panel-account'
  const name = isSecure ? `__Host-${own}` : own
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    toHeader: session => `${name}=${session}; ${attributes}`,
    read: ({ headers }) =>
      (headers.cookie ?? '')
        .split(/; */)
        .filter(pair => pair.startsWith(`${name}=`))
        .map(pair => pair.slice(name.length + 1))
        .find(isCookie),
  }
}
