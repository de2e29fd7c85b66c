import type { Reply } from '../http/reply.ts'
import type { OpenRoute, PageOf } from '../http/server.ts'
import { PanelError } from '../errors.ts'
import { findSession, findSuspended, takeWrite } from '../model/signing-in/sessions.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { t } from './texts/texts.ts'
import { adminerRoutes } from './adminer.ts'
import { withQuery } from './addresses.ts'
import { signedOutCall } from './api-call.ts'
import { assetRoute } from './assets.ts'
import { compressed } from './compressed.ts'
import { docsRoutes } from './docs/routes.ts'
import { failurePage } from './failure-page.ts'
import { isTokenOf } from './form-token.ts'
import { forgottenPasswordRoutes, passwordLinkRoute } from './forgotten-password.ts'
import { homeRoute } from './home.ts'
import { livePart } from './live-part.ts'
import { notFoundPage } from './not-found-page.ts'
import { navigationFor } from './navigation.ts'
import { goTo, type Page, type PageRequest, type Wiring } from './page.ts'
import { pages } from './pages.ts'
import { readForm } from './read-form.ts'
import { readFlash } from './flash.ts'
import { cookiesAt } from './session-cookie.ts'
import { signInRoutes } from './sign-in.ts'
import { signOn } from './sign-on.ts'
import { suspendedPage } from './suspended.ts'
import { inLanguage, preferred } from './texts/locale.ts'
import { keepClean } from './uploads.ts'
import { isFromHere } from './visit.ts'

/** Returns the panel's own pages. They accept sessions, and no API tokens. */
export const openPages = (wiring: Wiring): { routes: OpenRoute[]; pageOf: PageOf } => ({
  routes: webRoutes(wiring),
  pageOf: (error, message) =>
    inLanguage(preferred(message.headers['accept-language']), () =>
      notFoundPage(wiring, error, message),
    ),
})

function webRoutes(wiring: Wiring): OpenRoute[] {
  keepClean(wiring.uploadsDir)
  const { protocol, origin } = new URL(wiring.baseUrl)
  const isSecure = protocol === 'https:'
  const cookies = cookiesAt(wiring.baseUrl)
  const passwordLink = passwordLinkRoute(wiring)
  const routes: OpenRoute[] = [
    {
      path: '/sso/:token',
      methods: ['GET', 'POST'],
      handler: secret(signOn(wiring, cookies.customer, origin)),
    },
    homeRoute(wiring),
    ...signInRoutes(wiring),
    ...forgottenPasswordRoutes(wiring),
    { ...passwordLink, handler: secret(passwordLink.handler) },
    ...adminerRoutes(wiring, cookies.adminer),
    assetRoute,
    ...docsRoutes(wiring),
    ...pages.map(page => routeOf(page, wiring, cookies)),
  ]
  return routes.map(route => served(route, isSecure))
}

// The address of the page is a secret, which must not reach any page after it.
const secret =
  (handler: OpenRoute['handler']): OpenRoute['handler'] =>
  async request => {
    const reply = await handler(request)
    return { ...reply, headers: { ...reply.headers, 'referrer-policy': 'no-referrer' } }
  }

type Cookies = ReturnType<typeof cookiesAt>

/** Returns the route of a page: open only to its roles, and to forms only from our own pages. */
function routeOf(page: Page, wiring: Wiring, cookies: Cookies): OpenRoute {
  const { origin } = new URL(wiring.baseUrl)
  const cookie = page.roles.includes('customer') ? cookies.customer : cookies.operator
  return {
    path: page.path,
    methods: page.post === undefined ? ['GET'] : ['GET', 'POST'],
    handler: async ({ method, params, message }) => {
      const address = message.url ?? ''
      const isFile = isFileOf(page, method)
      // The values of a form with a file must not be passed on.
      const target = isFile ? address.replace(/\?.*/, '') : address
      const isLive = message.headers['hx-request'] === 'true'
      const isSent = method === 'POST'
      if (isSent && !isFromHere(message, origin)) throw new PanelError('forbidden', foreign(origin))
      const sent = cookie.read(message)
      const session =
        sent === undefined
          ? undefined
          : await findSession(wiring.pool, sent, wiring.addressOf(message))
      if (sent === undefined || session === undefined) {
        // A request that a form makes by itself does not replace the page that the user types into.
        if (isLive && !isSent && page.post !== undefined) {
          return signedOutCall(address.replace(/\?.*/, ''))
        }
        const suspended = sent === undefined ? undefined : await findSuspended(wiring.pool, sent)
        if (suspended !== undefined) return suspendedPage(suspended.contact, wiring.about)
        return goTo(withQuery('/sign-in', { to: target }), { isLive })
      }
      const request: PageRequest = {
        wiring,
        pool: wiring.pool,
        session,
        caller: session.caller,
        keys: keysOf(sent),
        target,
        params: {},
        query: new URLSearchParams(),
        ...(isFile
          ? { body: queryOf(address, origin), sent: message }
          : { body: isSent ? await readForm(message) : new URLSearchParams() }),
        isLive,
        // A live part leaves it to the page.
        flash: isLive ? undefined : readFlash(cookies.flash.read(message)),
        navigation: navigationFor(session),
      }
      try {
        if (!page.roles.includes(session.caller.role)) throw forbidden()
        request.params = decoded(params)
        request.query = queryOf(target, origin)
        if (!isSent) return livePart(message, await page.get(request))
        if (!isTokenOf(request.body.get('token') ?? '', session.formToken)) {
          return await drawnAgain(page, request)
        }
        if (!(await takeWrite(wiring.pool, session))) throw tooMany()
        return await page.post!(request)
      } catch (error) {
        return failurePage(error, { method, path: page.path }, request)
      }
    },
  }
}

const isFileOf = ({ takesFile }: Page, method: string): boolean =>
  takesFile === true && method === 'POST'

/** A form of an earlier session; one that can't be drawn any more says only that. */
async function drawnAgain(page: Page, request: PageRequest): Promise<Reply> {
  try {
    if (page.again !== undefined) return await page.again(request)
  } catch (error) {
    if (!(error instanceof PanelError)) throw error
  }
  throw stale()
}

const foreign = (origin: string) => t('panel.sendFormsFromPanels', { origin })
const forbidden = () => new PanelError('forbidden', t('panel.youDoNotHave'))
const stale = () => new PanelError('forbidden', t('panel.formBelongsAnotherSession'))

const tooMany = () => new PanelError('rate_limited', t('panel.tooManyChangesMost'))

const nowhere = () => new PanelError('not_found', t('panel.thereNothingAddress'))

function decoded(params: Record<string, string>): Record<string, string> {
  try {
    return legible(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw nowhere()
  }
}

function queryOf(target: string, origin: string): URLSearchParams {
  const query = new URL(target, origin).searchParams
  legible([...query])
  return query
}

// PostgreSQL takes no NUL in a text, and no name has one.
function legible(words: [string, string][]): Record<string, string> {
  if (words.some(([, word]) => word.includes('\0'))) throw nowhere()
  return Object.fromEntries(words)
}

// People get a failure as a page. It is logged by its route, because the address may be a secret.
const served = ({ handler, ...route }: OpenRoute, isSecure: boolean): OpenRoute => ({
  ...route,
  handler: async request => {
    const facts = { method: request.method, path: route.path }
    const language = preferred(request.message.headers['accept-language'])
    const reply = await inLanguage(language, () =>
      handler(request).catch(error => failurePage(error, facts)),
    )
    // The browser knows it from the page, and a part that has not changed is asked for often.
    if (isSecure && reply.status !== 304)
      reply.headers['strict-transport-security'] = 'max-age=31536000'
    return compressed(request.message, reply)
  },
})
