import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { count, type Db, maybeOne, type Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { keyFor, seal, unseal } from '../server/sealing.ts'

// A second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for when the
// app is gone. Enabling, replacing, disabling and new recovery codes raise the credential epoch, as
// a new password does; only the current session stays. All times are the database's, because
// processes' clocks may differ.

/** The settings that every authenticator app supports; some ignore others. */
const totpKind = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226, section 4, recommends 160 bits. */
const secretBytes = 20
/** RFC 6238, section 5.2: allows for a clock that is slightly off, and for slow typing. */
const window = 1
const recoveryCodeCount = 10
/** 80 bits, 16 characters of Base32. */
const recoveryCodeBytes = 10

const noFactor = 'Two-factor authentication is not set up'

/** The key for the secrets of second factors, derived from the server's. */
export const factorsKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the secrets of second factors', serverKey)

/** The user of a second factor: an operator or an account. */
export type Person = { kind: 'operator' | 'account'; id: string }

/** Converts the ids of a row, of which one is null. */
export const toPerson = (operatorId: string | null, accountId: string | null): Person =>
  operatorId === null ? { kind: 'account', id: accountId! } : { kind: 'operator', id: operatorId }

/** The values for an authenticator app: as text to type, and as an address for a QR code. */
export type Enrolment = { secret: string; uri: string }

/**
 * The second factor to enrol: the first, or the next, which replaces the current one once
 * confirmed. Signing in with the password alone allows enrolling the first, never the next.
 */
export type Which = 'first' | 'next'

/**
 * Begins enrolment: creates a secret, which replaces an unconfirmed one.
 *
 * @param issuer the panel's name in the app
 * @throws {PanelError} `invalid` if there already is a second factor, or none for the next to
 *   replace
 */
export async function beginEnrolment(
  db: Db,
  person: Person & { name: string },
  issuer: string,
  key: Buffer,
  which: Which = 'first',
): Promise<Enrolment> {
  const { name } = person
  const { operatorId, accountId } = idsOf(person)
  const secret = new Secret({ size: secretBytes })
  const sealed = seal(Buffer.from(secret.bytes), key, contextOf(person))
  const isBegun = await oneFirst<boolean>(db)`
    select panel.begin_second_factor(${operatorId}, ${accountId}, ${sealed}, ${which === 'next'})`
  if (isBegun) return toEnrolment(secret, issuer, name)
  throw new PanelError(
    'invalid',
    which === 'first' ? `${name} already has two-factor authentication: replace it` : noFactor,
  )
}

/** Returns the enrolment that was begun and is not confirmed yet; undefined if there is none. */
export async function findEnrolment(
  db: Db,
  person: Person & { name: string },
  issuer: string,
  key: Buffer,
  which: Which = 'first',
): Promise<Enrolment | undefined> {
  const waiting = await findWaiting(db, person, which)
  return waiting && toEnrolment(opened(waiting, person, key), issuer, person.name)
}

// The next was begun with the password, so the page that shows it does not ask for it again.
const findWaiting = (db: Db, person: Person, which: Which) =>
  which === 'first'
    ? maybeOne<Sealed>(db)`
        select secret, ${nowMs} from panel.second_factors
        where ${isOf(person)} and confirmed_at is null`
    : maybeOne<Sealed>(db)`
        select next_secret as secret, ${nowMs} from panel.second_factors
        where ${isOf(person)} and next_begun_at > now() - interval '10 minutes'`

const toEnrolment = (secret: Secret, issuer: string, label: string): Enrolment => ({
  secret: secret.base32,
  uri: new TOTP({ ...totpKind, secret, issuer, label }).toString(),
})

/**
 * Completes enrolment: a code proves that the app has the secret, and the second factor is enabled
 * or replaced. Returns the recovery codes, which are not shown again.
 *
 * @throws {PanelError} `invalid`
 */
export async function confirmEnrolment(
  db: Db,
  person: Person,
  entered: string,
  key: Buffer,
  /** The current session. */
  sessionId: string | null = null,
  which: Which = 'first',
): Promise<string[]> {
  const { operatorId, accountId } = idsOf(person)
  const waiting = await findWaiting(db, person, which)
  if (waiting === undefined) throw unconfirmed('No setup of two-factor authentication was started')
  const step = stepOf(normal(entered), person, waiting, key)
  if (step === undefined) throw unconfirmed('This code is not valid right now')
  const codes = newRecoveryCodes()
  const voided = await oneFirst<number | null>(db)`
    select panel.confirm_second_factor(
      ${operatorId}, ${accountId}, ${waiting.secret}, ${step}, ${codes.map(hash)}, ${sessionId})`
  if (voided !== null) return codes
  throw unconfirmed('Two-factor authentication was changed in the meantime')
}

const unconfirmed = (sentence: string): PanelError =>
  new PanelError('invalid', sentence, { field: 'code' })

/** Whether signing in needs a code, and the number of unused recovery codes. */
export type SecondFactor = { isConfirmed: boolean; recoveryCodes: number }

/** Returns a user's second factor; undefined if none was begun. */
export const findSecondFactor = (db: Db, person: Person) => maybeOne<SecondFactor>(db)`
  select f.confirmed_at is not null as "isConfirmed",
    (select count(*)::int from panel.recovery_codes
     where ${isOf(person)} and used_at is null) as "recoveryCodes"
  from panel.second_factors f where ${isOf(person)}`

/** `wait` after too many wrong codes: for a while no code is checked. */
export type Verdict = 'right' | 'wrong' | 'wait'

/**
 * Checks a code of a second factor and uses it up: if it is entered twice at once, only one is
 * right. After 5 wrong codes in a row there is a wait, which doubles with each further one, up to
 * an hour. Attempts are counted before they are checked, so parallel guesses gain nothing; an
 * attempt that was counted elsewhere neither counts here nor waits.
 */
export async function useCode(
  db: Db,
  person: Person,
  entered: string,
  key: Buffer,
  { isCounted } = { isCounted: false },
): Promise<Verdict> {
  const factor = await maybeOne<Sealed>(db)`
    update panel.second_factors
    set failures = failures + ${isCounted ? 0 : 1}::int,
      tried_at = case when ${isCounted} then tried_at else clock_timestamp() end
    where ${isOf(person)} and confirmed_at is not null
      and (${isCounted} or failures < 5 or clock_timestamp() >= tried_at
        + least(interval '1 hour', interval '1 second' * 2 ^ least(failures - 5, 12)))
    returning secret, ${nowMs}`
  if (factor === undefined) return 'wait'
  const code = normal(entered)
  const step = stepOf(code, person, factor, key)
  const isUsed =
    step === undefined
      ? await useRecoveryCode(db, person, code)
      : await useStep(db, person, factor, step)
  return isUsed ? 'right' : 'wrong'
}

/**
 * Replaces the recovery codes, and returns the new ones, which are not shown again.
 *
 * @throws {PanelError} `invalid` if there is no second factor
 */
export async function replaceRecoveryCodes(
  db: Db,
  person: Person,
  sessionId: string | null = null,
): Promise<string[]> {
  const { operatorId, accountId } = idsOf(person)
  const codes = newRecoveryCodes()
  const voided = await oneFirst<number | null>(db)`
    select panel.replace_recovery_codes(
      ${operatorId}, ${accountId}, ${codes.map(hash)}, ${sessionId})`
  if (voided !== null) return codes
  throw new PanelError('invalid', noFactor)
}

/**
 * Disables a user's second factor, or removes an unconfirmed one. Returns how many valid tokens
 * this has voided; null if there was none.
 */
export function disableSecondFactor(db: Db, person: Person, sessionId: string | null = null) {
  const { operatorId, accountId } = idsOf(person)
  return oneFirst<number | null>(db)`
    select panel.disable_second_factor(${operatorId}, ${accountId}, ${sessionId})`
}

type Sealed = { secret: Buffer; now_ms: number }

const idsOf = ({ kind, id }: Person) => ({
  operatorId: kind === 'operator' ? id : null,
  accountId: kind === 'account' ? id : null,
})

const isOf = ({ kind, id }: Person): Sql =>
  kind === 'operator' ? sql`operator_id = ${id}` : sql`account_id = ${id}`

// Returns the context in which a user's secret is encrypted.
const contextOf = ({ kind, id }: Person): string => (kind === 'operator' ? id : `account:${id}`)

const nowMs = sql`extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`

const opened = ({ secret }: Sealed, person: Person, key: Buffer): Secret =>
  new Secret({ buffer: new Uint8Array(unseal(secret, key, contextOf(person))).buffer })

// Returns the 30 second step of a code, if it is about now.
function stepOf(code: string, person: Person, sealed: Sealed, key: Buffer): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const { now_ms: timestamp } = sealed
  const secret = opened(sealed, person, key)
  const totp = new TOTP({ ...totpKind, secret })
  const delta = totp.validate({ token: code, timestamp, window })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}

async function useStep(db: Db, person: Person, { secret }: Sealed, step: number) {
  const used = await count(db)`
    update panel.second_factors set last_step = ${step}, failures = 0
    where ${isOf(person)} and last_step < ${step} and secret = ${secret}`
  return used === 1
}

async function useRecoveryCode(db: Db, person: Person, code: string): Promise<boolean> {
  const used = await count(db)`
    with used as (
      update panel.recovery_codes set used_at = now()
      where ${isOf(person)} and hash = ${hash(code)} and used_at is null
      returning hash
    )
    update panel.second_factors set failures = 0
    where ${isOf(person)} and exists (select from used)`
  return used === 1
}

// Users copy codes in groups and in any case.
const normal = (entered: string): string => entered.replace(/[\s-]/g, '').toUpperCase()

const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => {
    const { base32 } = new Secret({ size: recoveryCodeBytes })
    return (base32.match(/.{4}/g) ?? []).join('-')
  })

const hash = (code: string): Buffer => createHash('sha256').update(normal(code)).digest()
