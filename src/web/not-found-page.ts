import type { IncomingMessage } from 'node:http'
import type { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import { findSession } from '../model/signing-in/sessions.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { failurePage } from './failure-page.ts'
import { navigationFor } from './navigation.ts'
import type { Wiring } from './page.ts'
import { cookiesAt } from './session-cookie.ts'

/** Returns the page for an unknown address, within the frame if the visitor is signed in. */
export async function notFoundPage(
  wiring: Wiring,
  error: PanelError,
  message: IncomingMessage,
): Promise<Reply> {
  const { pool } = wiring
  const target = message.url ?? '/'
  const { operator, customer } = cookiesAt(wiring.baseUrl)
  const cookies = target.startsWith('/account') ? [customer, operator] : [operator, customer]
  for (const sent of cookies.map(cookie => cookie.read(message))) {
    if (sent === undefined) continue
    // A visitor whose session cannot be read gets the same page without the frame.
    const session = await findSession(pool, sent, wiring.addressOf(message)).catch(() => undefined)
    if (session === undefined) continue
    const { caller } = session
    const asked = { target, params: {}, query: new URLSearchParams(), body: new URLSearchParams() }
    const request = { wiring, pool, session, caller, keys: keysOf(sent), ...asked }
    return failurePage(
      error,
      {},
      { ...request, isLive: false, flash: undefined, navigation: navigationFor(session) },
    )
  }
  return failurePage(error, {})
}
