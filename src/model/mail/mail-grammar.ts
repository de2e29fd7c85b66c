import { z } from 'zod'
import { domain, password, siteDomain, toAscii } from '../grammar/grammar.ts'

// The names of mailboxes and aliases, and the addresses that mail may be led to. All of them are
// written to tables of Postfix and Dovecot, in which white space, commas and colons separate.

/**
 * The part before the @ of a mailbox or an alias. A plus sign would begin a part that the mail
 * server ignores (`info+shop@…`). The database has the same grammar (is_mail_local_part.sql).
 */
export const localPart = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    'must be 1 to 64 of a-z, 0-9, ., _ and -, and begin with a letter or digit',
  )
  .refine(text => !/\.\.|\.$/.test(text), 'must not have two dots in a row, or one at the end')

/** A mail domain as callers send it, in any case or script; kept in its ASCII form. */
export const mailDomain = siteDomain

const split = (text: string): [local: string, domain: string] => {
  const at = text.lastIndexOf('@')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

const addressOf = (local: z.ZodType<string, string>, meaning: string) =>
  z
    .string()
    .max(254, 'must have at most 254 characters')
    .transform(text => {
      const [name, host] = split(text)
      return `${name}@${toAscii(host)}`
    })
    .refine(text => {
      const [name, host] = split(text)
      return text.length <= 254 && local.safeParse(name).success && domain.safeParse(host).success
    }, meaning)
    .pipe(z.string())

/** The address of a mailbox or an alias; its domain may be sent in any script. */
export const mailboxAddress = addressOf(localPart, 'must be an address such as info@example.com')

/**
 * An address that mail is led to, here or elsewhere. The database has the same grammar
 * (is_mail_target.sql).
 */
export const mailTarget = addressOf(
  z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._+=-]{0,63}$/)
    .refine(text => !/\.\.|\.$/.test(text)),
  'must be an address such as info@example.com',
)

/** Splits a valid address. */
export function partsOf(address: string): { local: string; domain: string } {
  const [local, domain] = split(address)
  return { local, domain }
}

/** The limit of a mailbox, in MB. */
export const quotaMb = z
  .int('must be a whole number from 1 to 10000000')
  .min(1, 'must be a whole number from 1 to 10000000')
  .max(10_000_000, 'must be a whole number from 1 to 10000000')

/** The password of a mailbox: bcrypt ignores what comes after 72 bytes. */
export const mailPassword = password.refine(
  text => Buffer.byteLength(text) <= 72,
  'must have at most 72 bytes',
)
