import { linkOf } from '../model/server/support-contact.ts'
import { toMailto } from './suspended.ts'

/** Returns the contact for people who cannot sign in, and the address that it links to, if any. */
export function contactView(contact: string | null) {
  if (contact === null) return { contact: null, contactAddress: undefined }
  const kind = linkOf(contact)
  const addresses = { mail: () => toMailto(contact), web: () => contact }
  return { contact, contactAddress: kind && addresses[kind]() }
}
