import { createHash } from 'node:crypto'
import { type Db, one, type Pool, run, transaction } from '../../db.ts'
import { log } from '../../log.ts'
import { browserKnowing, rememberIn } from './known-browsers.ts'
import { noteNewDevice } from '../notices/notices.ts'
import { keyFor } from '../server/sealing.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  factorsKey,
  findEnrolment,
  findSecondFactor,
  toPerson,
  useCode,
  type Enrolment,
  type Person,
} from './second-factors.ts'
import {
  browserOf,
  openAccountSession,
  openOperatorSession,
  type Session,
  type Visitor,
} from './sessions.ts'
import { inTurn } from './sign-in-queue.ts'
import { maySignInFrom } from './sign-in-ranges.ts'
import { readSigned, sign } from './signed-values.ts'

// Signing in: a name and its password, then a code if there is a second factor. A wrong name and a
// wrong password take the same time and get the same answer. Between the two steps the browser
// keeps a signed value that names the user whose password was right.

/** The time in which a code may be entered after the password. */
const pendingMs = 10 * 60_000
// No user has a longer one.
const longestPassword = 128

export type SignedIn = {
  is: 'signed in'
  kind: Person['kind']
  /** The session's cookie. */
  cookie: string
  /** For 90 days: proof that this name has signed in from this browser. */
  known: string
}

export type SignIn =
  | SignedIn
  | { is: 'wrong' }
  | { is: 'wait'; seconds: number }
  /** The address of its seller, if that is a reseller. */
  | { is: 'suspended'; contact: string | null }
  /** An administrator, from an address that is not on the list. */
  | { is: 'address' }
  /** A code is needed; or the enrolment of a required second factor. */
  | { is: 'code' | 'enrolment'; pending: string }

/** The origin of a sign-in, and the cookie of a known browser. */
export type At = Visitor & { known: string | undefined }

type Credentials = {
  wait_s: number | null
  operator_id: string | null
  account_id: string | null
  password_hash: string | null
  epoch: number
  role: 'administrator' | 'reseller' | 'customer'
  is_suspended: boolean
  has_factor: boolean
  needs_factor: boolean
  contact: string | null
}

type Pending = Person & { name: string; epoch: number }

/**
 * Checks name and password, the first step.
 *
 * @throws {PanelError} `unavailable` when too many are signing in
 */
export async function signIn(
  pool: Pool,
  entered: { name: string; password: string },
  at: At,
  serverKey: Buffer,
): Promise<SignIn> {
  const name = normal(entered.name)
  const browser = browserKnowing(name, at.known, serverKey)
  const email = emailIn(entered.name)
  const given = { name, email, password: entered.password }
  const verdict = await decide(pool, given, at.address, browser)
  if (verdict.is === 'wait') return verdict
  const { found } = verdict
  if (verdict.is === 'wrong') {
    noteRefused(
      pool,
      { operator: found.operator_id, account: found.account_id },
      at,
      'a wrong password',
    )
    return { is: 'wrong' }
  }
  if (found.is_suspended) return { is: 'suspended', contact: found.contact }
  const isCustomer = found.role === 'customer'
  if (!isCustomer && !(await maySignInFrom(pool, found.role as 'administrator', at.address))) {
    return { is: 'address' }
  }
  const person = { ...toPerson(found.operator_id, found.account_id), name, epoch: found.epoch }
  if (!found.has_factor && !found.needs_factor) {
    return transaction(pool, db => complete(db, person, at, serverKey))
  }
  const pending = sign(person, pendingKey(serverKey), new Date(Date.now() + pendingMs))
  return { is: found.has_factor ? 'code' : 'enrolment', pending }
}

// Returns whether a name or an e-mail address has this password, after the attempt was counted.
async function decide(
  pool: Pool,
  { name, email, password }: { name: string; email: string | null; password: string },
  address: string | null | undefined,
  browser: string | null,
) {
  return inTurn(browser === null ? 'unknown' : 'known', address, async isPassword => {
    const found = await beginAttempt(pool, name, address, browser, email)
    if (found.wait_s !== null) return { is: 'wait', seconds: found.wait_s } as const
    const isRight = await isPassword(password.slice(0, longestPassword + 1), found.password_hash)
    return { is: isRight ? 'right' : 'wrong', found } as const
  })
}

const beginAttempt = (
  db: Db,
  name: string,
  address: string | null | undefined,
  browser: string | null,
  email: string | null = null,
) => one<Credentials>(db)`
  select * from panel.begin_sign_in(${name}, ${address}, ${browser}, ${email})`

/**
 * Checks a code of the app or a recovery code, the second step. The transaction that opens the
 * session uses it up. A browser that knows the name has its own counter here too.
 */
export async function enterCode(
  pool: Pool,
  { pending, code }: { pending: string; code: string },
  at: At,
  serverKey: Buffer,
): Promise<SignedIn | { is: 'wrong' | 'wait' | 'over' }> {
  const person = readSigned<Pending>(pending, pendingKey(serverKey))
  if (person === undefined) return { is: 'over' }
  const { name, kind, id } = person
  const browser = browserKnowing(name, at.known, serverKey)
  if (browser !== null && (await beginAttempt(pool, name, at.address, browser)).wait_s !== null) {
    return { is: 'wait' }
  }
  const answer = await transaction(pool, async db => {
    const isCounted = browser !== null
    const verdict = await useCode(db, person, code, factorsKey(serverKey), { isCounted })
    if (verdict !== 'right') return { is: verdict }
    return orOver(await complete(db, person, at, serverKey))
  })
  if (answer.is === 'wrong' || answer.is === 'wait') {
    noteRefused(pool, { [kind]: id }, at, 'the right password and a wrong code')
  }
  return answer
}

/** Returns the user whose password was right, and the next step; undefined if it took too long. */
export async function findPending(
  pool: Pool,
  pending: string | undefined,
  issuer: string,
  serverKey: Buffer,
): Promise<{ next: 'code' } | { next: 'enrolment'; enrolment: Enrolment } | undefined> {
  const person = pending && readSigned<Pending>(pending, pendingKey(serverKey))
  if (!person) return undefined
  const factor = await findSecondFactor(pool, person)
  if (factor?.isConfirmed) return { next: 'code' }
  // The user needs a second factor and has none.
  const key = factorsKey(serverKey)
  const enrolment =
    (await findEnrolment(pool, person, issuer, key)) ??
    (await beginEnrolment(pool, person, issuer, key))
  return { next: 'enrolment', enrolment }
}

/**
 * Checks the first code of a required second factor: enables it and signs in. The recovery codes
 * are not shown again.
 *
 * @throws {PanelError} `invalid` if the code is wrong
 */
export async function confirmDemanded(
  pool: Pool,
  { pending, code }: { pending: string; code: string },
  at: At,
  serverKey: Buffer,
): Promise<{ recoveryCodes: string[]; outcome: SignedIn | { is: 'over' } } | undefined> {
  const person = readSigned<Pending>(pending, pendingKey(serverKey))
  if (person === undefined) return undefined
  return transaction(pool, async db => {
    const recoveryCodes = await confirmEnrolment(db, person, code, factorsKey(serverKey))
    // Enrolment has raised the epoch.
    const since = { ...person, epoch: person.epoch + 1 }
    return { recoveryCodes, outcome: orOver(await complete(db, since, at, serverKey)) }
  })
}

/**
 * Returns whether a password is the signed-in user's, before a change that only the user may make.
 * Attempts are counted per session: guesses elsewhere do not delay this one.
 */
export async function isOwnPassword(
  pool: Pool,
  { id, name, person, caller }: Pick<Session, 'id' | 'name' | 'person' | 'caller'>,
  entered: string,
): Promise<'right' | 'wrong' | { seconds: number }> {
  const session = `session:${id}`
  const verdict = await inTurn('known', caller.address, async isPassword => {
    const found = await beginAttempt(pool, name, caller.address, session)
    if (found.wait_s !== null) return { seconds: found.wait_s }
    // An account may have the name of an operator, who signs in by it.
    const isTheirs =
      (person.kind === 'operator' ? found.operator_id : found.account_id) === person.id
    const hash = isTheirs ? found.password_hash : null
    const isRight = await isPassword(entered.slice(0, longestPassword + 1), hash)
    return isRight ? 'right' : 'wrong'
  })
  if (verdict === 'right') {
    await run(pool)`select panel.forget_attempts(${name}, ${caller.address}, ${session})`
  }
  return verdict
}

// Not awaited: an existing name would otherwise take longer than an unknown one.
function noteRefused(
  pool: Pool,
  { operator = null, account = null }: { operator?: string | null; account?: string | null },
  { address }: At,
  what: string,
): void {
  run(pool)`select panel.note_refused_sign_in(${operator}, ${account}, ${address}, ${what})`.catch(
    (error: unknown) => log.error('a refused sign-in was not recorded', error),
  )
}

// Completes a right attempt: it no longer counts, and a session is opened if the credentials are
// unchanged.
async function complete(
  db: Db,
  { kind, id, name, epoch }: Pending,
  at: At,
  serverKey: Buffer,
): Promise<SignedIn | { is: 'wrong' }> {
  const browser = browserKnowing(name, at.known, serverKey)
  await run(db)`select panel.forget_attempts(${name}, ${at.address}, ${browser})`
  const open = kind === 'operator' ? openOperatorSession : openAccountSession
  const cookie = await open(db, id, { address: at.address, browser: at.browser, epoch })
  if (cookie === undefined) return { is: 'wrong' }
  // The person is the same by username and by e-mail address. No name has a colon.
  const self = `${kind}:${id}`
  if (browserKnowing(self, at.known, serverKey) === null) {
    await noteNewDevice(db, { kind, id } as Person, { ...at, browser: browserOf(at) })
  }
  return { is: 'signed in', kind, cookie, known: rememberIn(at.known, [name, self], serverKey) }
}

const orOver = (outcome: SignedIn | { is: 'wrong' }): SignedIn | { is: 'over' } =>
  outcome.is === 'wrong' ? { is: 'over' } : outcome

const pendingKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: a right password, before its code', serverKey)

// Names are lower case. Impossible names are counted as well: people enter passwords there.
function normal(entered: string): string {
  const name = entered.trim().toLowerCase()
  if (/^[a-z0-9_-]{1,32}$/.test(name)) return name
  return `?${createHash('sha256').update(name).digest('base64url')}`
}

// An address has its own counters, under a name that cannot exist.
function emailIn(entered: string): string | null {
  const text = entered.trim().toLowerCase()
  return text.includes('@') && text.length <= 254 ? text : null
}
