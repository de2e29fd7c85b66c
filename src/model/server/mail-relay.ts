import { z } from 'zod'
import { type Db, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { domain } from '../grammar/grammar.ts'
import { write } from '../operations/writes.ts'
import { keyFor, seal, unseal } from './sealing.ts'

// The mail relay: a server of the administrator's choice that takes the mail of PHP's mail().

export const tlsModes = ['starttls', 'tls', 'none'] as const

const loopback = /^(localhost|127(\.[0-9]{1,3}){3}|::1)$/

/** A host name of any number of labels, or an address. */
const relayHost = z
  .string()
  .max(253, 'must have at most 253 characters')
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:]*:[0-9a-f:.]*)$/,
    'must be a host name in lower case, or an address',
  )

// The relay's configuration is read line by line, with quotation marks around each value.
const inQuotes = /^[ !#-~]*$/

export const relayPassword = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .refine(text => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')

/** The fields of a relay, for the options and forms that set it. */
export const relayFields = {
  host: relayHost,
  port: z.int().min(1).max(65_535),
  tls: z.enum(tlsModes),
  user: z
    .string()
    .min(1, 'must not be empty')
    .max(254, 'must have at most 254 characters')
    .regex(inQuotes, 'must be printable ASCII characters without quotation marks')
    .refine(text => text.trim() === text, 'must not begin or end with a space')
    .nullable(),
  from_domain: domain,
}

const words = {
  tls: 'must be starttls or tls: without encryption only a relay on this machine is allowed',
  password: 'is required: the relay has a user',
  user: 'is required: the relay has a password',
}

/** A relay without its password, as people see it. */
export const MailRelay = z
  .strictObject(relayFields)
  .refine(({ tls, host }) => tls !== 'none' || loopback.test(host), {
    ...{ path: ['tls'], error: words.tls },
  })

export type MailRelay = z.infer<typeof MailRelay>

/** A relay as rows have it: the password is sealed. */
export const SealedRelay = z.strictObject({
  ...relayFields,
  password: z.base64().max(1_000).nullable(),
})

export type SealedRelay = z.infer<typeof SealedRelay>

/** A relay as the machine needs it. */
export type OpenRelay = Omit<SealedRelay, 'password'> & { password: string | null }

const context = 'mail relay'
const relayKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the password of the relay', serverKey)

// Encrypts the password of a relay for the database.
const sealPassword = (password: string, serverKey: Buffer): string =>
  seal(Buffer.from(password), relayKey(serverKey), context).toString('base64')

/**
 * Decrypts the password of a relay.
 *
 * @throws if it was sealed with another key
 */
export function openRelay({ password, ...relay }: SealedRelay, serverKey: Buffer): OpenRelay {
  if (password === null) return { ...relay, password }
  const opened = unseal(Buffer.from(password, 'base64'), relayKey(serverKey), context)
  return { ...relay, password: relayPassword.parse(opened.toString()) }
}

type NewRelay = MailRelay & { password: string | undefined; serverKey: () => Buffer }

/** Sets the relay: a password that is left out stays, if the relay and its user do. */
export const setMailRelay = write<NewRelay>({
  name: 'server/set-mail-relay',
  subject: ({ host }) => host,
  async decide(db, { desired: { password, serverKey, ...given } }) {
    const relay = refuseWrong(() => MailRelay.parse(given))
    const before = SealedRelay.nullable().safeParse(await readRow(db)).data
    const isSame = before?.host === relay.host && before.user === relay.user
    const kept =
      password === undefined
        ? isSame
          ? before.password
          : null
        : sealPassword(relayPassword.parse(password), serverKey())
    if (relay.user === null && password !== undefined) {
      throw new PanelError('invalid', `user ${words.user}`, { field: 'user' })
    }
    if (relay.user !== null && kept === null) {
      throw new PanelError('invalid', `password ${words.password}`, { field: 'password' })
    }
    const mail_relay = { ...relay, password: relay.user === null ? null : kept }
    return { accountId: null, params: { mail_relay } }
  },
})

// A channel has validated each field, but not all of them together.
function refuseWrong<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse()
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined
    if (issue === undefined) throw error
    const field = String(issue.path[0])
    throw new PanelError('invalid', `${field} ${issue.message}`, { field, cause: error })
  }
}

/** Removes the relay: mail() then returns false. */
export const removeMailRelay = write<object>({
  name: 'server/set-mail-relay',
  subject: () => 'none',
  decide: async () => ({ accountId: null, params: { mail_relay: null } }),
})

/** Returns the relay with its sealed password; null if there is none. */
export async function readMailRelay(db: Db): Promise<SealedRelay | null> {
  return SealedRelay.nullable().parse(await readRow(db))
}

const readRow = (db: Db) => oneFirst<unknown>(db)`select mail_relay from panel.server`

/** Returns the relay as people see it. */
export const shownRelay = (relay: SealedRelay | null) => {
  if (relay === null) return null
  const { password, ...shown } = relay
  return { ...shown, has_password: password !== null }
}

/** The part of the machine that the worker uses for the relay. */
export type MailHost = {
  /** Makes the mail service send by this relay, or by none; may run twice. */
  setMailRelay: (relay: SealedRelay | null) => Promise<void>
}
