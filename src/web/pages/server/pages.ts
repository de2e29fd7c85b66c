import type { Page } from '../../page.ts'
import { health, recheck } from './health.ts'
import { serverMail } from './mail.ts'
import { deleteMessage, retryMessage } from './mail-queue.ts'
import * as remedies from './remedies.ts'
import { mailRelay, noMailRelay } from './mail-relay.ts'
import { endSession, signedIn } from './sessions.ts'
import { secondFactorDemand, settings, sharedParents, signInAddresses } from './settings.ts'
import { supportContact } from './support-contact.ts'

/** The server: how it is, its settings, and who is signed in. */
export const serverPages: Page[] = [
  health,
  recheck,
  settings,
  signInAddresses,
  secondFactorDemand,
  sharedParents,
  mailRelay,
  noMailRelay,
  supportContact,
  signedIn,
  endSession,
  ...Object.values(remedies),
  serverMail,
  retryMessage,
  deleteMessage,
]
