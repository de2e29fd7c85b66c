import { randomUUID } from 'node:crypto'
import { PanelError } from '../errors.ts'
import type { Reply } from '../http/reply.ts'
import type { OpenRequest, OpenRoute } from '../http/server.ts'
import * as writes from '../model/accounts/account-writes.ts'
import { password as passwordGrammar } from '../model/grammar/grammar.ts'
import { hasMailRelay } from '../model/server/own-mail.ts'
import { readSupportContact } from '../model/server/support-contact.ts'
import * as links from '../model/signing-in/password-links.ts'
import * as sessions from '../model/signing-in/sessions.ts'
import { maySignInFrom } from '../model/signing-in/sign-in-ranges.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { t } from './texts/texts.ts'
import { goTo, type Wiring } from './page.ts'
import { readForm } from './read-form.ts'
import { message, plain } from './render.ts'
import { contactView } from './support-contact.ts'
import { isFromHere, isFromLink } from './visit.ts'
import { waitTime } from './words.ts'

// «Forgot your password?»: a page that has a link mailed, and the page that the link opens. The
// answer is the same whether anybody has the name. Addresses come from the panel's own base URL.

/** /sign-in/password and /sign-in/password/TOKEN: for everybody. */
export const forgottenPasswordRoutes = (wiring: Wiring): OpenRoute[] => [
  {
    path: '/sign-in/password',
    methods: ['GET', 'POST'],
    handler: request =>
      request.method === 'POST' ? requestLink(wiring, request) : drawRequest(wiring, 200, {}),
  },
]

/** The page of a link, whose address is a secret. */
export const passwordLinkRoute = (wiring: Wiring): OpenRoute => ({
  path: '/sign-in/password/:token',
  methods: ['GET', 'POST'],
  async handler(request) {
    const secret = request.params['token'] ?? ''
    if (!sessions.isCookie(secret)) return expired()
    return request.method === 'POST'
      ? changePassword(wiring, request, secret)
      : drawLink(wiring, secret, 200, {})
  },
})

type RequestView = { entered?: string; sentence?: string }

async function drawRequest({ pool, about }: Wiring, status: number, view: RequestView) {
  const [hasMail, contact] = await Promise.all([hasMailRelay(pool), readSupportContact(pool)])
  const { serverName } = about
  return plain(status, 'forgotten', { ...view, hasMail, serverName, ...contactView(contact) })
}

async function requestLink(wiring: Wiring, { message: sent }: OpenRequest): Promise<Reply> {
  const body = await formOf(wiring, isFromHere, sent)
  const entered = body.get('username') ?? ''
  if (entered.trim() === '') {
    return drawRequest(wiring, 422, { sentence: t('panel.enterYourUsernameE') })
  }
  if (!(await hasMailRelay(wiring.pool))) return drawRequest(wiring, 200, {})
  const wait = await links.requestPasswordLink(wiring.pool, entered, wiring.addressOf(sent))
  if (wait > 0) {
    const sentence = t('panel.tooManyRequestsFrom', { time: waitTime(wait) })
    const reply = await drawRequest(wiring, 429, { entered: entered.slice(0, 254), sentence })
    return { ...reply, headers: { ...reply.headers, 'retry-after': `${wait}` } }
  }
  return goTo('/sign-in?password=requested')
}

type LinkView = { errors?: { password?: string }; sentence?: string }

async function drawLink({ pool }: Wiring, secret: string, status: number, view: LinkView) {
  const owner = await links.findPasswordLink(pool, secret)
  if (owner === undefined) return expired()
  const { name, role } = owner
  return plain(status, 'new-password', { ...view, name, isCustomer: role === 'customer' })
}

async function changePassword(
  wiring: Wiring,
  { message: sent }: OpenRequest,
  secret: string,
): Promise<Reply> {
  const body = await formOf(wiring, isFromLink, sent)
  const owner = await links.findPasswordLink(wiring.pool, secret)
  if (owner === undefined) return expired()
  const parsed = passwordGrammar.safeParse(body.get('password') ?? '')
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const password = t('panel.message', { message: issue?.message ?? t('panel.notPossible') })
    return drawLink(wiring, secret, 422, { errors: { password } })
  }
  const address = wiring.addressOf(sent)
  if (owner.role !== 'customer') {
    if (!(await maySignInFrom(wiring.pool, owner.role, address))) {
      return message(403, t('panel.notAllowedFromAddress'), t('panel.administratorsCanChooseNew'))
    }
    const isDone = await links.changePasswordByLink(
      wiring.pool,
      secret,
      parsed.data,
      address ?? null,
    )
    return isDone ? changed() : expired()
  }
  return changeCustomers(wiring, sent, secret, parsed.data)
}

const changed = () => goTo('/sign-in?password=changed')

/** The time the page waits for the machine to have the password too. */
const waitMs = 20_000

const failedSentence = () => t('panel.passwordWasNotChanged')

/**
 * Changes a customer's password, which is an operation: a session that no browser gets requests it
 * and ends with it. If nothing was changed, the link works again.
 */
async function changeCustomers(
  wiring: Wiring,
  sent: OpenRequest['message'],
  secret: string,
  password: string,
): Promise<Reply> {
  const { pool, addressOf, execute } = wiring
  const owner = await links.usePasswordLink(pool, secret)
  if (owner === undefined) return expired()
  const { name: username, epoch } = owner
  const keys = keysOf(secret)
  let session: sessions.Session | undefined
  try {
    const address = addressOf(sent)
    const visitor = { address, browser: sent.headers['user-agent'], epoch, isLink: true }
    const cookie = await sessions.openAccountSession(pool, owner.person.id, visitor)
    session = cookie === undefined ? cookie : await sessions.findSession(pool, cookie, address)
    if (session === undefined) return expired()
    const outcome = await execute(writes.setPassword, {
      caller: session.caller,
      ...{ keys, key: randomUUID(), words: 'POST /sign-in/password', waitMs },
      fingerprint: keys.fingerprint(password),
      parse: () => ({ username, password }),
    })
    if (outcome.is === 'in progress') return goTo('/sign-in?password=changing')
    if (outcome.is === 'answered' && outcome.answer.status < 400) return changed()
  } catch (error) {
    await links.restorePasswordLink(pool, secret)
    throw error
  } finally {
    if (session !== undefined) await sessions.endSession(pool, session)
  }
  await links.restorePasswordLink(pool, secret)
  return drawLink(wiring, secret, 503, { sentence: failedSentence() })
}

// The answer does not reveal whether the link was used, is too old, or never existed.
const expired = () =>
  message(
    410,
    t('panel.linkHasExpired'),
    t('panel.linkChoosePasswordWorks', { linkMinutes: links.linkMinutes }),
  )

async function formOf(
  { baseUrl }: Wiring,
  isOwn: typeof isFromHere,
  sent: OpenRequest['message'],
): Promise<URLSearchParams> {
  const { origin } = new URL(baseUrl)
  if (isOwn(sent, origin)) return readForm(sent)
  throw new PanelError('forbidden', t('panel.choosePasswordPanelsOwn', { origin }))
}

/** The sentences of the sign-in page after these pages. */
export const passwordSteps = (): Record<string, string | undefined> => ({
  requested: t('panel.ifNameAddressKnown', { linkMinutes: links.linkMinutes }),
  changing: t('panel.yourPasswordBeingChanged'),
  changed: t('panel.yourPasswordWasChanged'),
})
