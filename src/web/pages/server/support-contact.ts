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

// The contact for people who cannot sign in.

const base = '/server/settings'
const example = 'support@example.com'

/** /server/settings/support-contact */
export const supportContact = form({
  path: `${base}/support-contact`,
  roles: administrators,
  title: () => 'Support contact',
  parent: () => base,
  fields: {
    contact: text('Contact', SupportContact.optional(), {
      example,
      hint: 'An e-mail address, a web address or a sentence, such as a telephone number.',
    }),
  },
  load: async ({ pool }) => ({
    values: { contact: (await readSupportContact(pool)) ?? '' },
    words: [
      'People who have forgotten their password see it. Anybody can open that page. ' +
        'With a mail relay, they get a link to choose a new password too.',
    ],
  }),
  submit: 'Save contact',
  call: (_, { contact }) => ({
    command: `panel ctl support-contact ${contact ? `--set ${word(contact)}` : '--clear'}`,
  }),
  async act({ pool, caller, values: { contact = null }, wiring }) {
    const change = { action: 'settings/support-contact', about: contact } as const
    await recorded(pool, caller, change, db => changeSupportContact(db, contact))
    const done = contact === null ? 'The contact was removed.' : 'The contact was saved.'
    return goToSaying(base, done, wiring)
  },
})
