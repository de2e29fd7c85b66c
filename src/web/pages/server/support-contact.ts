import { recorded } from '../../../model/history/history.ts'
import {
  changeSupportContact,
  readSupportContact,
  SupportContact,
} from '../../../model/server/support-contact.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying } from '../../page.ts'
import { t } from '../../texts/texts.ts'

// The contact for people who cannot sign in.

const base = '/server/settings'
const example = 'support@example.com'

/** /server/settings/support-contact */
export const supportContact = form({
  path: `${base}/support-contact`,
  roles: administrators,
  title: () => t('server.supportContact'),
  parent: () => base,
  fields: {
    contact: text('server.contactLabel', SupportContact.optional(), {
      example,
      hint: 'server.contactHint',
    }),
  },
  load: async ({ pool }) => ({
    values: { contact: (await readSupportContact(pool)) ?? '' },
    words: [t('server.supportContactHint')],
  }),
  submit: 'server.saveContact',
  call: (_, { contact }) => ({
    command: `panel ctl support-contact ${contact ? `--set ${word(contact)}` : '--clear'}`,
  }),
  async act({ pool, caller, values: { contact = null }, wiring }) {
    const change = { action: 'settings/support-contact', about: contact } as const
    await recorded(pool, caller, change, db => changeSupportContact(db, contact))
    const done = contact === null ? t('server.contactWasRemoved') : t('server.contactWasSaved')
    return goToSaying(base, done, wiring)
  },
})
