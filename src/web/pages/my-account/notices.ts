import { z } from 'zod'
import { transaction } from '../../../db.ts'
import { choose, listChoices } from '../../../model/notices/notices.ts'
import { hasMailRelay } from '../../../model/server/own-mail.ts'
import { several } from '../../fields.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import type { Section } from './section.ts'

/** /my-account/notices, /account/security/notices: which mails the person gets. */
export const noticesForm = ({ base, roles }: Section) =>
  form({
    path: `${base}/notices`,
    roles,
    parent: () => base,
    title: () => 'Notices by e-mail',
    fields: { notices: several('Send me a mail when', z.array(z.string().max(40)).default([])) },
    isPersonal: true,
    async load({ pool, session }) {
      const [choices, hasMail] = await Promise.all([
        listChoices(pool, session.person, session.caller.role),
        hasMailRelay(pool),
      ])
      const chosen = choices.filter(({ isChosen }) => isChosen)
      return {
        values: { notices: chosen.map(({ name }) => name).join(',') },
        options: { notices: choices.map(({ name, label }) => ({ value: name, label })) },
        words: [
          'Each cause is reported once. Several within an hour come as one mail.',
          ...(hasMail ? [] : ['This server has no mail relay yet, so no mails are sent.']),
        ],
      }
    },
    submit: 'Save notices',
    async act({ pool, session, values, wiring }) {
      const { person, caller } = session
      await transaction(pool, db => choose(db, person, caller.role, values.notices))
      return goToSaying(base, 'Your notices were saved.', wiring)
    },
  })
