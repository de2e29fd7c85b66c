import type { IncomingMessage } from 'node:http'
import { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { OpenRequest, OpenRoute } from '../http/server.ts'
import { endSession, findSession } from '../model/signing-in/sessions.ts'
import {
  confirmDemanded,
  enterCode,
  findPending,
  signIn,
  type At,
  type SignedIn,
} from '../model/signing-in/sign-in.ts'
import { t } from './texts/texts.ts'
import { localPath, withQuery } from './addresses.ts'
import { passwordSteps } from './forgotten-password.ts'
import { firstPages } from './home.ts'
import { otherAddress, type OtherAddress } from './other-address.ts'
import { goTo, type Wiring } from './page.ts'
import { qrCode } from './qr-code.ts'
import { readForm } from './read-form.ts'
import { message, plain } from './render.ts'
import { cookiesAt } from './session-cookie.ts'
import { suspendedPage } from './suspended.ts'
import { isFromHere } from './visit.ts'
import { waitTime } from './words.ts'

// Signing in: a page for name and password, and one for the code, where one is needed.

/** /sign-in and /sign-in/code: for everybody. */
export const signInRoutes = (wiring: Wiring): OpenRoute[] => [
  {
    path: '/sign-in',
    methods: ['GET', 'POST'],
    handler: async request => {
      const to = toOf(request)
      if (request.method !== 'POST') return drawFirst(wiring, request, to)
      return enterPassword(wiring, request, await formOf(wiring, request))
    },
  },
  {
    path: '/sign-in/code',
    methods: ['GET', 'POST'],
    handler: async request =>
      request.method === 'POST'
        ? enterSecond(wiring, request, await formOf(wiring, request))
        : drawSecond(wiring, request, 200, { to: toOf(request) }),
  },
]

// Before a password is typed, which would be refused at another address.
async function drawFirst(
  { baseUrl, about, pool }: Wiring,
  { message: sent }: OpenRequest,
  to: string | undefined,
): Promise<Reply> {
  const other = await otherAddress(sent, baseUrl, () => about.addresses(pool))
  const step = new URL(sent.url ?? '', 'http://panel').searchParams.get('password') ?? ''
  return draw(200, { to, other, done: passwordSteps()[step] })
}

type SignInView = {
  to?: string | undefined
  username?: string
  sentence?: string
  other?: OtherAddress | undefined
  /** The outcome of the page before it. */
  done?: string | undefined
}

const draw = (status: number, view: SignInView) => plain(status, 'sign-in', view)

async function enterPassword(
  wiring: Wiring,
  { message: sent }: OpenRequest,
  body: URLSearchParams,
) {
  const at = whereOf(wiring, sent)
  const to = localPath(body.get('to'))
  const name = body.get('username') ?? ''
  const view = { to, username: name.slice(0, 100) }
  const password = body.get('password') ?? ''
  const outcome = await signIn(wiring.pool, { name, password }, at, wiring.serverKey())
  switch (outcome.is) {
    case 'signed in':
      return signedIn(wiring, sent, outcome, to)
    case 'wrong':
      return draw(422, { ...view, sentence: wrongSentence() })
    case 'wait':
      return slowedDown(outcome.seconds, view)
    case 'suspended':
      return suspendedPage(outcome.contact, wiring.about)
    case 'address':
      return message(403, t('signIn.notAllowedFromAddress'), t('signIn.administratorsCanSignFrom'))
    case 'code':
    case 'enrolment': {
      const reply = goTo(withQuery('/sign-in/code', { to }))
      reply.headers['set-cookie'] = cookiesAt(wiring.baseUrl).pending.toHeader(outcome.pending)
      return reply
    }
  }
}

// The same for every reason, also for an e-mail address that several accounts have.
const wrongSentence = () => t('signIn.usernamePasswordWrongE')

function slowedDown(seconds: number, view: SignInView): Reply {
  const reply = draw(429, {
    ...view,
    sentence: t('signIn.tooManyAttemptsWait', { wait: waitTime(seconds) }),
  })
  return { ...reply, headers: { ...reply.headers, 'retry-after': `${seconds}` } }
}

async function drawSecond(
  wiring: Wiring,
  { message: sent }: OpenRequest,
  status: number,
  view: SignInView,
): Promise<Reply> {
  const pending = cookiesAt(wiring.baseUrl).pending.read(sent)
  const { pool, about, serverKey } = wiring
  const found = await findPending(pool, pending, about.serverName, serverKey())
  if (found === undefined) return goTo(withQuery('/sign-in', { to: view.to }))
  if (found.next === 'code') return plain(status, 'code', view)
  const { secret, uri } = found.enrolment
  return plain(status, 'enrolment', { ...view, secret, qr: qrCode(uri) })
}

async function enterSecond(wiring: Wiring, request: OpenRequest, body: URLSearchParams) {
  const { message: sent } = request
  const cookies = cookiesAt(wiring.baseUrl)
  const { pool, about } = wiring
  const serverKey = wiring.serverKey()
  const to = localPath(body.get('to'))
  const pending = cookies.pending.read(sent) ?? ''
  const code = (body.get('code') ?? '').slice(0, 100)
  const at = whereOf(wiring, sent)
  const found = await findPending(pool, pending, about.serverName, serverKey)
  if (found === undefined) return goTo(withQuery('/sign-in', { to }))
  if (found.next === 'enrolment') return confirm(wiring, request, { pending, code, to }, at)

  const outcome = await enterCode(pool, { pending, code }, at, serverKey)
  if (outcome.is === 'signed in') return signedIn(wiring, sent, outcome, to)
  if (outcome.is === 'over') return goTo(withQuery('/sign-in', { to }))
  const sentence =
    outcome.is === 'wrong' ? t('signIn.codeNotValidRight') : t('signIn.tooManyWrongCodes')
  return drawSecond(wiring, request, outcome.is === 'wrong' ? 422 : 429, { to, sentence })
}

// The first code of a second factor that is demanded: the recovery codes are shown this once.
async function confirm(
  wiring: Wiring,
  request: OpenRequest,
  entered: { pending: string; code: string; to: string | undefined },
  at: At,
): Promise<Reply> {
  try {
    const made = await confirmDemanded(wiring.pool, entered, at, wiring.serverKey())
    if (made?.outcome.is !== 'signed in') return goTo('/sign-in')
    const { headers } = await signedIn(wiring, request.message, made.outcome, entered.to)
    const { location, ...kept } = headers
    const reply = plain(200, 'recovery-codes', { codes: made.recoveryCodes, to: location })
    return { ...reply, headers: { ...kept, ...reply.headers } }
  } catch (error) {
    if (!(error instanceof PanelError) || error.code !== 'invalid') throw error
    return drawSecond(wiring, request, 422, { to: entered.to, sentence: `${error.message}.` })
  }
}

/** Gives the browser its session, in place of the one that it had, and leads on. */
async function signedIn(
  wiring: Wiring,
  sent: IncomingMessage,
  { kind, cookie, known }: SignedIn,
  to: string | undefined,
): Promise<Reply> {
  const cookies = cookiesAt(wiring.baseUrl)
  const own = kind === 'operator' ? cookies.operator : cookies.customer
  const before = own.read(sent)
  const replaced =
    before === undefined
      ? undefined
      : await findSession(wiring.pool, before, wiring.addressOf(sent))
  if (replaced !== undefined) await endSession(wiring.pool, replaced)
  const isCustomers = to !== undefined && /^\/account(\/|\?|$)/.test(to)
  const isTheirs = to !== undefined && isCustomers === (kind === 'account')
  const reply = goTo(isTheirs ? to : firstPages[kind])
  reply.headers['set-cookie'] = [
    own.toHeader(cookie),
    cookies.known.toHeader(known),
    cookies.pending.cleared,
  ]
  return reply
}

/** Returns where the user signs in, and what the browser knows from an earlier time. */
const whereOf = ({ addressOf, baseUrl }: Wiring, sent: IncomingMessage): At => ({
  address: addressOf(sent),
  browser: sent.headers['user-agent'],
  known: cookiesAt(baseUrl).known.read(sent),
})

const toOf = ({ message: sent }: OpenRequest): string | undefined =>
  localPath(new URL(sent.url ?? '', 'http://panel').searchParams.get('to'))

async function formOf({ baseUrl }: Wiring, { message: sent }: OpenRequest) {
  const { origin } = new URL(baseUrl)
  if (isFromHere(sent, origin)) return readForm(sent)
  throw new PanelError('forbidden', t('signIn.signPanelsOwnPage', { origin }))
}
