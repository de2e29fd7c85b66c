import { PanelError } from '../../../errors.ts'
import { endOthers, listSessions, revokeSession } from '../../../model/signing-in/sessions.ts'
import { form } from '../../form.ts'
import { goToSaying } from '../../page.ts'
import type { Section } from './section.ts'

// Ending sessions: one, or all but this.

const over = () => new PanelError('not_found', 'This session has ended')

export function sessionForms({ base, roles }: Section) {
  const endAll = form({
    path: `${base}/sessions/end`,
    roles,
    parent: () => base,
    title: () => 'Sign out everywhere else',
    fields: {},
    isPersonal: true,
    load: async () => ({
      words: ['All other sessions end, and their waiting requests are dropped.'],
    }),
    submit: 'Sign out everywhere else',
    isDanger: true,
    async act({ pool, caller, wiring }) {
      await endOthers(pool, caller)
      return goToSaying(base, 'You are signed out everywhere else.', wiring)
    },
  })

  const endOne = form({
    path: `${base}/sessions/:id/end`,
    roles,
    parent: () => base,
    title: () => 'End a session',
    fields: {},
    isPersonal: true,
    async load({ pool, caller, params }) {
      const own = await listSessions(pool, caller)
      if (!own.some(({ id }) => id === (params as { id: string }).id)) {
        throw over()
      }
      const words = 'Its user is signed out, and its waiting requests are dropped.'
      return { words: [words] }
    },
    submit: 'End session',
    isDanger: true,
    async act({ pool, caller, wiring, params }) {
      const { id } = params as { id: string }
      if (!(await revokeSession(pool, caller, id))) throw over()
      return goToSaying(base, 'The session has ended.', wiring)
    },
  })

  return { endAll, endOne }
}
