import { getReseller } from '../../../model/sellers/operator-lists.ts'
import { administrators, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { findOperator, pathOf, sections, type Section } from './section.ts'

const operator = (section: Section) =>
  page({
    path: `${section.base}/:name`,
    roles: administrators,
    async load({ pool, session, params }) {
      const { name } = params as { name: string }
      const operator = await findOperator({ pool }, section, name)
      const isOwn = operator.name === session.name
      const reseller = operator.role === 'reseller' ? await getReseller(pool, name) : undefined
      return {
        operator,
        isOwn,
        reseller,
        parent: section.base,
        state: reseller && stateOf(reseller),
        actions: isOwn
          ? [{ label: t('operators.changeYourOwnSignIn'), address: '/my-account' }]
          : actionsOf(section, operator, reseller),
      }
    },
    template: 'pages/operators/operator',
  })

/** /resellers/NAME: its plan, what its accounts have of it, and how it signs in. */
export const resellerShown = operator(sections.resellers)

/** /administrators/NAME */
export const administratorShown = operator(sections.administrators)

type Reseller = Awaited<ReturnType<typeof getReseller>>

const stateOf = ({ suspended_at }: Reseller) => (suspended_at === null ? 'active' : 'suspended')

function actionsOf(
  section: Section,
  { name, has_second_factor }: Awaited<ReturnType<typeof findOperator>>,
  reseller: Reseller | undefined,
) {
  const action = (label: string, part: string, look?: string) => ({
    label,
    address: pathOf(section, name, part),
    ...(look === undefined ? {} : { look }),
  })
  const plan =
    reseller &&
    action(reseller.plan === null ? t('operators.setPlan') : t('operators.editPlan'), '/plan')
  const state =
    reseller &&
    (reseller.suspended_at === null
      ? action(t('operators.suspend'), '/suspend', 'danger')
      : action(t('operators.unsuspend'), '/unsuspend'))
  return [
    ...(plan === undefined ? [] : [plan]),
    action(t('operators.newPassword'), '/password'),
    ...(has_second_factor
      ? [action(t('operators.switchOffTwoFactorAuthentication'), '/second-factor', 'danger')]
      : []),
    ...(state === undefined ? [] : [state]),
  ]
}
