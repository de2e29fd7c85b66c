import { PanelError } from '../../../errors.ts'
import { endOthers, listSessions, revokeSession } from '../../../model/signing-in/sessions.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import type { Section } from './section.ts'

// Ending sessions: one, or all but this.

const over = () => new PanelError('not_found', t('myAccount.sessionHasEnded'))

export function sessionForms({ base, roles }: Section) {
  const endAll = form({
    path: `${base}/sessions/end`,
    roles,
    parent: () => base,
    title: () => t('myAccount.signOutEverywhereElse'),
    fields: {},
    isPersonal: true,
    load: async () => ({
      words: [t('myAccount.allOtherSessionsEnd')],
    }),
    submit: 'myAccount.signOutEverywhereElse',
    isDanger: true,
    async act({ pool, caller, wiring }) {
      await endOthers(pool, caller)
      return goToSaying(base, t('myAccount.youAreSignedOut'), wiring)
    },
  })

  const endOne = form({
    path: `${base}/sessions/:id/end`,
    roles,
    parent: () => base,
    title: () => t('myAccount.endSession'),
    fields: {},
    isPersonal: true,
    async load({ pool, caller, params }) {
      const own = await listSessions(pool, caller)
      if (!own.some(({ id }) => id === (params as { id: string }).id)) {
        throw over()
      }
      const words = t('myAccount.userSignedOutWaiting')
      return { words: [words] }
    },
    submit: 'myAccount.endSessionTitle',
    isDanger: true,
    async act({ pool, caller, wiring, params }) {
      const { id } = params as { id: string }
      if (!(await revokeSession(pool, caller, id))) throw over()
      return goToSaying(base, t('myAccount.theSessionHasEnded'), wiring)
    },
  })

  return { endAll, endOne }
}
