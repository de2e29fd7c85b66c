import type { Pool } from '../db.ts'
import type { OpenRoute } from '../http/server.ts'
import { get, toAccount } from '../model/accounts.ts'
import { findSession } from '../model/sessions.ts'
import * as usage from '../model/usage.ts'
import { message, plain } from './render.ts'
import type { SessionCookie } from './session-cookie.ts'

/** /account: what an account may see of itself. */
export const showAccount =
  (pool: Pool, cookie: SessionCookie): OpenRoute['handler'] =>
  async request => {
    const sent = cookie.read(request.message)
    const session = sent === undefined ? undefined : await findSession(pool, sent)
    if (session === undefined) return signedOut()
    const record = await get(pool, session.caller, session.name)
    const own = await usage.ofAccount(pool, record.id)
    if (own === undefined) return signedOut()
    return plain(200, 'account', { account: toAccount(record), usage: own })
  }

const signedOut = () =>
  message(
    403,
    'Not signed in',
    'Your session is over. Sign in again from where you bought hosting.',
  )
