import type { IncomingMessage } from 'node:http'
import { isCookie } from '../model/signing-in/sessions.ts'

/** Something that the browser keeps for us. */
export type BrowserCookie = {
  toHeader: (value: string) => string
  /** Takes it from the browser. */
  cleared: string
  /** Returns the cookie of a request, if its form is valid. */
  read: (message: IncomingMessage) => string | undefined
}

/** A session's cookie ends with the browser, or with the session in the database. */
export type SessionCookie = BrowserCookie

/** Returns the panel's cookies at its own address. */
export function cookiesAt(baseUrl: string) {
  const isSecure = new URL(baseUrl).protocol === 'https:'
  return {
    operator: sessionCookie(isSecure, 'operator'),
    customer: sessionCookie(isSecure, 'customer'),
    /** Marks a browser in which a user has signed in (src/model/signing-in/known-browsers.ts). */
    known: browserCookie(isSecure, 'panel-known', isSigned, 90 * 86_400),
    /** For Adminer's port, though no browser keeps ports apart. */
    adminer: browserCookie(isSecure, 'panel-adminer', isCookie),
    /** The message of a form, for the next page. */
    flash: browserCookie(isSecure, 'panel-flash', isFlash, 60),
    /** A password was right, and its code is still to come. */
    pending: browserCookie(isSecure, 'panel-pending', isSigned, 600),
  }
}

/** Operators and customers have a cookie each: a sign-on link never ends an operator's session. */
const sessionCookie = (isSecure: boolean, of: 'operator' | 'customer'): SessionCookie =>
  browserCookie(isSecure, of === 'operator' ? 'panel' : 'panel-account', isCookie)

// `__Host-` binds it to this host and https (RFC 6265bis), so it can't be used without https.
function browserCookie(
  isSecure: boolean,
  own: string,
  fits: (value: string) => boolean,
  maxAgeS?: number,
): BrowserCookie {
  const name = isSecure ? `__Host-${own}` : own
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const age = maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`
  return {
    toHeader: value => `${name}=${value}; ${attributes}${age}`,
    cleared: `${name}=; ${attributes}; Max-Age=0`,
    read: ({ headers }) =>
      (headers.cookie ?? '')
        .split(/; */)
        .filter(pair => pair.startsWith(`${name}=`))
        .map(pair => pair.slice(name.length + 1))
        .find(fits),
  }
}

const isFlash = (value: string): boolean => /^[A-Za-z0-9_-]{1,600}$/.test(value)

const isSigned = (value: string): boolean =>
  value.length <= 1_000 && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(value)
