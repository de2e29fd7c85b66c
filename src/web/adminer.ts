import type { Reply } from '../http/reply.ts'
import type { OpenRequest, OpenRoute } from '../http/server.ts'
import * as adminer from '../model/databases/open-databases.ts'
import { adminerPort } from '../model/server/host.ts'
import { isCookie } from '../model/signing-in/sessions.ts'
import { t } from './texts/texts.ts'
import { goToSaying, type Wiring } from './page.ts'
import { message } from './render.ts'
import type { Flash } from './flash.ts'
import type { SessionCookie } from './session-cookie.ts'
import { isVisit } from './visit.ts'

// Answers nginx on behalf of Adminer's port (src/host/adminer/web.ts): a ticket is used up for a
// cookie, and the cookie says whose database it is. Neither gives access to the panel.

/** Returns the address that a ticket leads to. */
export function ticketAddress(ticket: string, baseUrl: string): string {
  const address = new URL(`/open/${ticket}`, baseUrl)
  address.port = String(adminerPort)
  return address.href
}

export const adminerRoutes = (wiring: Wiring, cookie: SessionCookie): OpenRoute[] => [
  {
    path: '/adminer/open/:ticket',
    handler: async request => {
      const ticket = request.params['ticket'] ?? ''
      const isSpent =
        isCookie(ticket) &&
        isVisit(request.message) &&
        (await adminer.spendTicket(wiring.pool, ticket))
      if (!isSpent) return over(wiring, { tone: 'bad', sentence: t('panel.linkAdminerHasExpired') })
      const kept = cookie.toHeader(adminer.cookieOf(ticket, wiring.serverKey()))
      const reply = message(303, 'Adminer', t('panel.yourDatabaseOpen'))
      Object.assign(reply.headers, { location: '/', 'set-cookie': kept })
      return reply
    },
  },
  {
    path: '/adminer/session',
    handler: async request => {
      const found = await openOf(wiring, cookie, request)
      if (found === undefined) return { status: 401, headers: {}, body: Buffer.alloc(0) }
      const headers = { 'panel-user': found.username, 'panel-database': found.database }
      return { status: 200, headers, body: Buffer.alloc(0) }
    },
  },
  {
    path: '/adminer/over',
    handler: async ({ message: sent }) => {
      const kept = cookie.read(sent)
      if (kept !== undefined) await adminer.endOpen(wiring.pool, kept)
      const reply = over(wiring, t('panel.adminerClosedOpenDatabase'))
      reply.headers['set-cookie'] = [reply.headers['set-cookie'], cookie.cleared].flat().map(String)
      return reply
    },
  },
]

// Returns to the panel's page with a message.
const over = ({ baseUrl }: Wiring, flash: string | Flash): Reply =>
  goToSaying(`${baseUrl}/account/databases`, flash, { baseUrl })

const openOf = async (wiring: Wiring, cookie: SessionCookie, { message: sent }: OpenRequest) => {
  const kept = cookie.read(sent)
  return kept === undefined ? undefined : adminer.findOpen(wiring.pool, kept)
}
