import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import { keyFor, seal, unseal } from './sealing.ts'

// What an owner proves beside the password: a code of an authenticator app (TOTP, RFC 6238), or a
// recovery code where the app is gone. Each change of it raises the credential epoch, as a change
// of the password does. Times are the database's: whoever judges a code may have another clock.

/** What every authenticator app knows; some ignore anything else that they are told. */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226, section 4, recommends 160 bits. */
const secretBytes = 20
/** RFC 6238, section 5.2: for a clock that is slightly off, and for whoever types slowly. */
const window = 1
const recoveryCodeCount = 10
/** 80 bits, 16 characters of Base32. */
const recoveryCodeBytes = 10

/** The key of the second factors' secrets, from the server's. */
export const factorsKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the secrets of second factors', serverKey)

/** What an authenticator app has to know: as text to be typed, and as an address in a QR code. */
export type Enrolment = { secret: string; uri: string }

/**
 * The first of two steps: makes a secret, in the place of one that was never confirmed.
 *
 * @param issuer what the app calls this panel
 * @throws {PanelError} `invalid` where the owner has a second factor
 */
export async function beginEnrolment(
  db: Db,
  owner: { id: string; name: string },
  issuer: string,
  key: Buffer,
): Promise<Enrolment> {
  const secret = new Secret({ size: secretBytes })
  const { rows } = await db.query<{ begun: boolean }>(
    'select panel.begin_second_factor($1, $2) as begun',
    [owner.id, seal(Buffer.from(secret.bytes), key, owner.id)],
  )
  if (rows[0]?.begun !== true) {
    throw new PanelError('invalid', `${owner.name} has a second factor already: disable it first`)
  }
  return {
    secret: secret.base32,
    uri: new TOTP({ ...kind, secret, issuer, label: owner.name }).toString(),
  }
}

/**
 * The second step: turns the second factor on, now that a code shows that the app has the secret.
 * Tells the recovery codes, this once.
 *
 * @throws {PanelError} `invalid`
 */
export async function confirmEnrolment(
  db: Db,
  ownerId: string,
  said: string,
  key: Buffer,
): Promise<string[]> {
  const { rows } = await db.query<Sealed>(
    `select secret, ${nowMs} from panel.second_factors
     where owner_id = $1 and confirmed_at is null`,
    [ownerId],
  )
  const [waiting] = rows
  if (waiting === undefined) throw new PanelError('invalid', 'No second factor was begun')
  const step = stepOf(normal(said), ownerId, waiting, key)
  if (step === undefined) throw new PanelError('invalid', 'This is not the code of this moment')
  const codes = newRecoveryCodes()
  const { rows: confirmed } = await db.query<{ voided: number | null }>(
    'select panel.confirm_second_factor($1, $2, $3, $4) as voided',
    [ownerId, waiting.secret, step, codes.map(hash)],
  )
  if (typeof confirmed[0]?.voided === 'number') return codes
  throw new PanelError('invalid', 'The second factor was changed meanwhile')
}

/** Whether a sign-in asks for a code, and how many recovery codes are left. */
export type SecondFactor = { isConfirmed: boolean; recoveryCodes: number }

/** An owner's second factor; undefined where none was even begun. */
export async function findSecondFactor(db: Db, ownerId: string): Promise<SecondFactor | undefined> {
  const { rows } = await db.query<SecondFactor>(
    `select f.confirmed_at is not null as "isConfirmed",
       (select count(*)::int from panel.recovery_codes c
        where c.owner_id = f.owner_id and c.used_at is null) as "recoveryCodes"
     from panel.second_factors f where f.owner_id = $1`,
    [ownerId],
  )
  return rows[0]
}

/** `wait` where there were so many wrong codes that none is judged for a while. */
export type Verdict = 'right' | 'wrong' | 'wait'

/**
 * Judges a code of an owner's confirmed second factor and uses it up: of two who say the same code
 * at once one is right. After 5 wrong ones in a row there is a wait, which doubles with each
 * further one, to at most an hour. A try is counted before it is judged, so guessing in parallel
 * gets nobody further.
 */
export async function useCode(
  db: Db,
  ownerId: string,
  said: string,
  key: Buffer,
): Promise<Verdict> {
  const { rows } = await db.query<Sealed>(
    `update panel.second_factors
     set failures = failures + 1, tried_at = clock_timestamp()
     where owner_id = $1 and confirmed_at is not null
       and (failures < 5 or clock_timestamp() >= tried_at
         + least(interval '1 hour', interval '1 second' * 2 ^ least(failures - 5, 12)))
     returning secret, ${nowMs}`,
    [ownerId],
  )
  const [factor] = rows
  if (factor === undefined) return 'wait'
  const code = normal(said)
  const step = stepOf(code, ownerId, factor, key)
  const isUsed =
    step === undefined
      ? await useRecoveryCode(db, ownerId, code)
      : await useStep(db, ownerId, factor, step)
  return isUsed ? 'right' : 'wrong'
}

/**
 * Makes other recovery codes and tells them, this once; those before are worth nothing any more.
 *
 * @throws {PanelError} `invalid` where the owner has no second factor
 */
export async function replaceRecoveryCodes(db: Db, ownerId: string): Promise<string[]> {
  const codes = newRecoveryCodes()
  const { rows } = await db.query<{ voided: number | null }>(
    'select panel.replace_recovery_codes($1, $2) as voided',
    [ownerId, codes.map(hash)],
  )
  if (typeof rows[0]?.voided === 'number') return codes
  throw new PanelError('invalid', 'There is no second factor')
}

/**
 * Takes an owner's second factor away, and one that was begun. Tells how many tokens are void by
 * that; null where there was none, and nothing is.
 */
export async function disableSecondFactor(db: Db, ownerId: string): Promise<number | null> {
  const { rows } = await db.query<{ voided: number | null }>(
    'select panel.disable_second_factor($1) as voided',
    [ownerId],
  )
  return rows[0]?.voided ?? null
}

type Sealed = { secret: Buffer; now_ms: number }

const nowMs = 'extract(epoch from clock_timestamp())::float8 * 1000 as now_ms'

// The 30 seconds that a code is of, if it is right about now.
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
  const { rowCount } = await db.query(
    `update panel.second_factors set last_step = $2, failures = 0
     where owner_id = $1 and last_step < $2 and secret = $3`,
    [ownerId, step, secret],
  )
  return rowCount === 1
}

async function useRecoveryCode(db: Db, ownerId: string, code: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `with used as (
       update panel.recovery_codes set used_at = now()
       where owner_id = $1 and hash = $2 and used_at is null
       returning owner_id
     )
     update panel.second_factors f set failures = 0 from used where f.owner_id = used.owner_id`,
    [ownerId, hash(code)],
  )
  return rowCount === 1
}

// As people copy it: in groups, in any case.
const normal = (said: string): string => said.replace(/[\s-]/g, '').toUpperCase()

const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => {
    const { base32 } = new Secret({ size: recoveryCodeBytes })
    return (base32.match(/.{4}/g) ?? []).join('-')
  })

const hash = (code: string): Buffer => createHash('sha256').update(normal(code)).digest()
