import { z } from 'zod'
import { transaction } from '../../../db.ts'
import { choose, listChoices } from '../../../model/notices/notices.ts'
import { hasMailRelay } from '../../../model/server/own-mail.ts'
import { several } from '../../fields.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import type { Section } from './section.ts'

/** /my-account/notices, /account/security/notices: which mails the person gets. */
export const noticesForm = ({ base, roles }: Section) =>
  form({
    path: `${base}/notices`,
    roles,
    parent: () => base,
    title: () => t('myAccount.noticesEMail'),
    fields: { notices: several('myAccount.noticesLabel', z.array(z.string().max(40)).default([])) },
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
          t('myAccount.eachCauseReportedOnce'),
          ...(hasMail ? [] : [t('myAccount.serverHasNoMail')]),
        ],
      }
    },
    submit: 'myAccount.saveNotices',
    async act({ pool, session, values, wiring }) {
      const { person, caller } = session
      await transaction(pool, db => choose(db, person, caller.role, values.notices))
      return goToSaying(base, t('myAccount.yourNoticesWereSaved'), wiring)
    },
  })
