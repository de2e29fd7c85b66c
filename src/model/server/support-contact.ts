import { z } from 'zod'
import { type Db, oneFirst, run } from '../../db.ts'
import { email } from '../grammar/grammar.ts'

// The contact for people who cannot sign in, which pages name that anybody can open.

/** An e-mail address, a web address, or a sentence such as a telephone number. */
export const SupportContact = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text), 'must not contain control characters')

/** Returns the contact; null if there is none. */
export const readSupportContact = (db: Db) =>
  oneFirst<string | null>(db)`select support_contact from panel.server`

/** Sets the contact; null removes it. */
export const changeSupportContact = (db: Db, contact: string | null) =>
  run(db)`select panel.change_support_contact(${contact})`

/** Returns where a contact leads: it may be an e-mail or a web address; undefined for neither. */
export function linkOf(contact: string): 'mail' | 'web' | undefined {
  if (/^https:\/\/[^\s]+$/.test(contact) && URL.canParse(contact)) return 'web'
  return email.safeParse(contact).success ? 'mail' : undefined
}
