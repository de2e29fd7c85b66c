import type { Pool } from '../db.ts'
import type { OpenRoute } from '../http/server.ts'
import { toAccount } from '../model/accounts.ts'
import * as signOns from '../model/sign-ons.ts'
import * as usage from '../model/usage.ts'
import { message, page } from './page.ts'
import type { SessionCookie } from './session-cookie.ts'

/** /account: what an account may see of itself. */
export const showAccount =
  (pool: Pool, cookie: SessionCookie): OpenRoute['handler'] =>
  async request => {
    const session = cookie.read(request.message)
    const record = session && (await signOns.findSession(pool, session))
    if (!record) return signedOut()
    const own = await usage.ofAccount(pool, record.id)
    if (own === undefined) return signedOut()
    return page(200, 'account', { account: toAccount(record), usage: own })
  }

const signedOut = () =>
  message(
    403,
    'Not signed in',
    'Your session is over. Sign in again from where you bought hosting.',
  )
