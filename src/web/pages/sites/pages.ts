import { operators, page, type Page } from '../../page.ts'
import { pathOf } from '../accounts/shown.ts'
import { settingForms } from './forms.ts'
import { logPages } from './logs.ts'
import { ofCustomer, ofOperators, siteAddress, siteOf } from './section.ts'

/** /accounts/USERNAME/sites/DOMAIN: its settings. A customer's own page shows more. */
const settingsOf = page({
  path: '/accounts/:username/sites/:domain',
  roles: operators,
  async load(asked) {
    const site = await siteOf(ofOperators, asked)
    const { username } = asked.params
    return { site, base: siteAddress(ofOperators, asked.params), parent: pathOf(username) }
  },
  template: 'pages/sites/site',
})

/** The settings of websites, for customers and for administrators and resellers. */
export const settingPages: Page[] = [
  settingsOf,
  ...[ofCustomer, ofOperators].flatMap(section => [
    ...Object.values(settingForms(section)),
    ...Object.values(logPages(section)),
  ]),
]
