import { PanelError } from '../../../errors.ts'
import { listSignedIn, revokeAnySession } from '../../../model/signing-in/sessions.ts'
import { form, type FormAsked } from '../../form.ts'
import { administrators, goToSaying, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { tabs } from './tabs.ts'

// Lists who is signed in to the pages, in all roles.

const base = '/server/sessions'

const maxSessions = 200
const everyOne = 1_000_000

/** /server/sessions */
export const signedIn = page({
  path: base,
  roles: administrators,
  async load({ pool, caller }) {
    const sessions = await listSignedIn(pool, caller, maxSessions)
    return { tabs: tabs(), sessions, total: sessions[0]?.total ?? 0 }
  },
  template: 'pages/server/sessions',
})

async function find({ pool, caller, params }: FormAsked<'/:id'>) {
  const found = (await listSignedIn(pool, caller, everyOne)).find(({ id }) => id === params.id)
  if (found === undefined) throw new PanelError('not_found', t('server.sessionHasEnded'))
  return found
}

/** /server/sessions/ID/end */
export const endSession = form({
  path: `${base}/:id/end`,
  roles: administrators,
  title: () => t('server.endSession'),
  parent: () => base,
  fields: {},
  async load(asked) {
    const { name } = await find(asked)
    return {
      words: [t('server.nameSignedOutThere', { name })],
    }
  },
  submit: 'server.endSessionTitle',
  isDanger: true,
  async act(given) {
    const { pool, caller, wiring } = given
    const { id, name } = await find(given)
    await revokeAnySession(pool, caller, id)
    return goToSaying(base, t('server.sessionNameWasEnded', { name }), wiring)
  },
})
