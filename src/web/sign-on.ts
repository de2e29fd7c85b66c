import type { OpenRequest, OpenRoute } from '../http/server.ts'
import { endSession, findSession, isCookie } from '../model/signing-in/sessions.ts'
import * as signOns from '../model/signing-in/sign-ons.ts'
import { t } from './texts/texts.ts'
import type { Wiring } from './page.ts'
import { message, plain } from './render.ts'
import type { SessionCookie } from './session-cookie.ts'
import { isFromLink, isVisit } from './visit.ts'

/**
 * /sso/{token}: a visit uses the link up and opens a session of its account. A preview or prefetch
 * gets a page with a button, and uses nothing up.
 */
export const signOn =
  ({ pool, addressOf }: Wiring, cookie: SessionCookie, origin: string): OpenRoute['handler'] =>
  async request => {
    const token = request.params['token'] ?? ''
    if (!isCookie(token)) return expired()
    if (request.method === 'POST' && !isFromLink(request.message, origin)) {
      return message(403, t('signIn.notSigned'), t('signIn.pressButtonPageLink'))
    }
    if (!isPerson(request)) {
      return (await signOns.isUsable(pool, token)) ? plain(200, 'sign-on', {}) : expired()
    }
    const visitor = {
      address: addressOf(request.message),
      browser: request.message.headers['user-agent'],
    }
    const session = await signOns.openSession(pool, token, visitor)
    if (session === undefined) return expired()
    // The one that this browser had is replaced.
    const before = cookie.read(request.message)
    const replaced =
      before === undefined ? undefined : await findSession(pool, before, visitor.address)
    if (replaced !== undefined) await endSession(pool, replaced)
    const signedIn = message(303, t('signIn.signed'), t('signIn.yourAccountAccount'))
    signedIn.headers['location'] = '/account'
    signedIn.headers['set-cookie'] = cookie.toHeader(session)
    return signedIn
  }

const isPerson = ({ method, message }: OpenRequest): boolean =>
  method === 'POST' || isVisit(message)

// The answer does not reveal whether the link was used, is too old, or never existed.
const expired = () => message(410, t('signIn.linkHasExpired'), t('signIn.signLinkWorksOnce'))
