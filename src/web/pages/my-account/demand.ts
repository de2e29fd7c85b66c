import { demandSecondFactor, demandsSecondFactor } from '../../../model/demands.ts'
import { recorded } from '../../../model/history.ts'
import { checkbox } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying } from '../../page.ts'
import { places } from './place.ts'
import { z } from 'zod'

/** /my-account/demand: whether all who administer or resell need a second factor. */
export const demand = form({
  path: `${places.owner.base}/demand`,
  roles: administrators,
  title: () => 'Demand a second factor',
  parent: () => places.owner.base,
  fields: {
    wanted: checkbox('Administrators and resellers need a second factor to sign in', z.boolean()),
  },
  load: async ({ pool }) => ({
    values: { wanted: await demandsSecondFactor(pool) },
    words: ['Who has none is signed out, and sets one up when signing in the next time.'],
  }),
  submit: 'Save',
  async act({ pool, session, caller, wiring, values }) {
    const about = values.wanted ? 'demanded' : 'not demanded'
    await recorded(pool, caller, { action: 'settings/second-factor', about }, db =>
      demandSecondFactor(db, session.person, values.wanted),
    )
    const sentence = `A second factor is ${values.wanted ? 'demanded' : 'everybody’s own choice'}.`
    return goToSaying(places.owner.base, sentence, wiring)
  },
})
