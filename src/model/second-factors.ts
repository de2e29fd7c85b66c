import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { count, type Db, maybe, sql, value } from '../db.ts'
import { PanelError } from '../errors.ts'
import { keyFor, seal, unseal } from './sealing.ts'

// An owner's second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for
// when the app is gone. Enabling, disabling and new recovery codes raise the credential epoch, as a
// new password does. All times are the database's, because processes' clocks may differ.

/** What every authenticator app supports; some ignore any other setting. */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226, section 4, recommends 160 bits. */
const secretBytes = 20
/** RFC 6238, section 5.2: allows for a clock that is slightly off, and for slow typing. */
const window = 1
const recoveryCodeCount = 10
/** 80 bits, 16 characters of Base32. */
const recoveryCodeBytes = 10

/** The key for the secrets of second factors, derived from the server's. */
export const factorsKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the secrets of second factors', serverKey)

/** What an authenticator app needs: as text to type, and as an address for a QR code. */
export type Enrolment = { secret: string; uri: string }

/**
 * The first of two steps: makes a secret, which replaces one that was never confirmed.
 *
 * @param issuer the panel's name in the app
 * @throws {PanelError} `invalid` if the owner has a second factor
 */
export async function beginEnrolment(
  db: Db,
  owner: { id: string; name: string },
  issuer: string,
  key: Buffer,
): Promise<Enrolment> {
  const secret = new Secret({ size: secretBytes })
  const sealed = seal(Buffer.from(secret.bytes), key, owner.id)
  if (!(await value<boolean>(db)`select panel.begin_second_factor(${owner.id}, ${sealed})`)) {
    throw new PanelError('invalid', `${owner.name} has a second factor already: disable it first`)
  }
  return {
    secret: secret.base32,
    uri: new TOTP({ ...kind, secret, issuer, label: owner.name }).toString(),
  }
}

/**
 * The second step: a code proves that the app has the secret, and the second factor is enabled.
 * Returns the recovery codes, which are not shown again.
 *
 * @throws {PanelError} `invalid`
 */
export async function confirmEnrolment(
  db: Db,
  ownerId: string,
  entered: string,
  key: Buffer,
): Promise<string[]> {
  const waiting = await maybe<Sealed>(db)`
    select secret, ${nowMs} from panel.second_factors
    where owner_id = ${ownerId} and confirmed_at is null`
  if (waiting === undefined) throw new PanelError('invalid', 'No second factor was begun')
  const step = stepOf(normal(entered), ownerId, waiting, key)
  if (step === undefined) throw new PanelError('invalid', 'This is not the code of this moment')
  const codes = newRecoveryCodes()
  const voided = await value<number | null>(db)`
    select panel.confirm_second_factor(
      ${ownerId}, ${waiting.secret}, ${step}, ${codes.map(hash)})`
  if (voided !== null) return codes
  throw new PanelError('invalid', 'The second factor was changed meanwhile')
}

/** Whether signing in needs a code, and how many recovery codes are left. */
export type SecondFactor = { isConfirmed: boolean; recoveryCodes: number }

/** An owner's second factor; undefined if none was begun. */
export const findSecondFactor = (db: Db, ownerId: string) => maybe<SecondFactor>(db)`
  select f.confirmed_at is not null as "isConfirmed",
    (select count(*)::int from panel.recovery_codes c
     where c.owner_id = f.owner_id and c.used_at is null) as "recoveryCodes"
  from panel.second_factors f where f.owner_id = ${ownerId}`

/** `wait` after too many wrong codes: for a while no code is judged. */
export type Verdict = 'right' | 'wrong' | 'wait'

/**
 * Judges a code of an owner's second factor and uses it up: if it is entered twice at once, only
 * one is right. After 5 wrong codes in a row there is a wait, which doubles with each further one,
 * up to an hour. Tries are counted before they are judged, so parallel guesses gain nothing.
 */
export async function useCode(
  db: Db,
  ownerId: string,
  entered: string,
  key: Buffer,
): Promise<Verdict> {
  const factor = await maybe<Sealed>(db)`
    update panel.second_factors
    set failures = failures + 1, tried_at = clock_timestamp()
    where owner_id = ${ownerId} and confirmed_at is not null
      and (failures < 5 or clock_timestamp() >= tried_at
        + least(interval '1 hour', interval '1 second' * 2 ^ least(failures - 5, 12)))
    returning secret, ${nowMs}`
  if (factor === undefined) return 'wait'
  const code = normal(entered)
  const step = stepOf(code, ownerId, factor, key)
  const isUsed =
    step === undefined
      ? await useRecoveryCode(db, ownerId, code)
      : await useStep(db, ownerId, factor, step)
  return isUsed ? 'right' : 'wrong'
}

/**
 * Replaces the recovery codes, and returns the new ones, which are not shown again.
 *
 * @throws {PanelError} `invalid` if the owner has no second factor
 */
export async function replaceRecoveryCodes(db: Db, ownerId: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const voided = await value<number | null>(db)`
    select panel.replace_recovery_codes(${ownerId}, ${codes.map(hash)})`
  if (voided !== null) return codes
  throw new PanelError('invalid', 'There is no second factor')
}

/**
 * Disables an owner's second factor, or removes one that was only begun. Returns how many valid
 * tokens that has voided; null if there was none.
 */
export const disableSecondFactor = (db: Db, ownerId: string) => value<number | null>(db)`
  select panel.disable_second_factor(${ownerId})`

type Sealed = { secret: Buffer; now_ms: number }

const nowMs = sql`extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`

// The 30 second step that a code is for, if that is about now.
function stepOf(
  code: string,
  ownerId: string,
  { secret: sealed, now_ms: timestamp }: Sealed,
  key: Buffer,
): number | undefined {
  if (!/^[0-9]{6}$/.test(code)) return undefined
  const secret = new Secret({ buffer: new Uint8Array(unseal(sealed, key, ownerId)).buffer })
  const totp = new TOTP({ ...kind, secret })
  const delta = totp.validate({ token: code, timestamp, window })
  return delta === null ? undefined : totp.counter({ timestamp }) + delta
}

async function useStep(db: Db, ownerId: string, { secret }: Sealed, step: number) {
  const used = await count(db)`
    update panel.second_factors set last_step = ${step}, failures = 0
    where owner_id = ${ownerId} and last_step < ${step} and secret = ${secret}`
  return used === 1
}

async function useRecoveryCode(db: Db, ownerId: string, code: string): Promise<boolean> {
  const used = await count(db)`
    with used as (
      update panel.recovery_codes set used_at = now()
      where owner_id = ${ownerId} and hash = ${hash(code)} and used_at is null
      returning owner_id
    )
    update panel.second_factors f set failures = 0 from used where f.owner_id = used.owner_id`
  return used === 1
}

// People copy codes in groups and in any case.
const normal = (entered: string): string => entered.replace(/[\s-]/g, '').toUpperCase()

const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => {
    const { base32 } = new Secret({ size: recoveryCodeBytes })
    return (base32.match(/.{4}/g) ?? []).join('-')
  })

const hash = (code: string): Buffer => createHash('sha256').update(normal(code)).digest()
