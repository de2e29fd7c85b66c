import type { IncomingMessage } from 'node:http'
import type { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import { findSession } from '../model/signing-in/sessions.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { failurePage } from './failure-page.ts'
import { navigationFor } from './navigation.ts'
import type { Wiring } from './page.ts'
import { cookiesAt } from './session-cookie.ts'

/** The page of an address that there is not, within the frame where somebody is signed in. */
export async function lostPage(
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
    // Whoever can't be found is told the same without the frame.
    const session = await findSession(pool, sent, wiring.addressOf(message)).catch(() => undefined)
    if (session === undefined) continue
    const { caller } = session
    const asked = { target, params: {}, query: new URLSearchParams(), body: new URLSearchParams() }
    const request = { wiring, pool, session, caller, keys: keysOf(sent), ...asked }
    return failurePage(
      error,
      {},
      { ...request, isLive: false, flash: undefined, navigation: navigationFor },
    )
  }
  return failurePage(error, {})
}
