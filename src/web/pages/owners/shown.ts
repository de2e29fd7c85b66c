import { getReseller } from '../../../model/sellers/owner-lists.ts'
import { administrators, page } from '../../page.ts'
import { findOwner, pathOf, places, type Place } from './place.ts'

const owner = (place: Place) =>
  page({
    path: `${place.base}/:name`,
    roles: administrators,
    async load({ pool, session, params }) {
      const { name } = params as { name: string }
      const owner = await findOwner({ pool }, place, name)
      const isOwn = owner.name === session.name
      const reseller = owner.role === 'reseller' ? await getReseller(pool, name) : undefined
      return {
        owner,
        isOwn,
        reseller,
        parent: place.base,
        state: reseller && stateOf(reseller),
        actions: isOwn
          ? [{ label: 'Change your own sign-in', address: '/my-account' }]
          : actionsOf(place, owner, reseller),
      }
    },
    template: 'pages/owners/owner',
  })

/** /resellers/NAME: its plan, what its accounts have of it, and how it signs in. */
export const resellerShown = owner(places.resellers)

/** /administrators/NAME */
export const administratorShown = owner(places.administrators)

type Reseller = Awaited<ReturnType<typeof getReseller>>

const stateOf = ({ suspended_at }: Reseller) => (suspended_at === null ? 'active' : 'suspended')

function actionsOf(
  place: Place,
  { name, has_second_factor }: Awaited<ReturnType<typeof findOwner>>,
  reseller: Reseller | undefined,
) {
  const action = (label: string, part: string, look?: string) => ({
    label,
    address: pathOf(place, name, part),
    ...(look === undefined ? {} : { look }),
  })
  const plan = reseller && action(reseller.plan === null ? 'Give it a plan' : 'Plan', '/plan')
  const state =
    reseller &&
    (reseller.suspended_at === null
      ? action('Suspend', '/suspend', 'danger')
      : action('Unsuspend', '/unsuspend'))
  return [
    ...(plan === undefined ? [] : [plan]),
    action('New password', '/password'),
    ...(has_second_factor ? [action('Second factor off', '/second-factor', 'danger')] : []),
    ...(state === undefined ? [] : [state]),
  ]
}
