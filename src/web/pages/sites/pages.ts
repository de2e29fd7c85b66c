import { toSiteView } from '../../../model/sites/site-changes.ts'
import { operators, page, type Page } from '../../page.ts'
import { aliasWords } from '../../site-words.ts'
import { siteForms } from './add-remove.ts'
import { settingForms } from './forms.ts'
import { logPages } from './logs.ts'
import { nameForms } from './names.ts'
import { ofCustomer, ofOperators, siteAddress, shownSiteOf } from './section.ts'
import { statisticsPages } from './statistics.ts'

/** /accounts/USERNAME/sites/DOMAIN: its settings. A customer's own page shows more. */
const settingsOf = page({
  path: '/accounts/:username/sites/:domain',
  roles: operators,
  async load(asked) {
    const { params } = asked
    const site = await shownSiteOf(ofOperators, asked)
    return {
      site: toSiteView(site),
      aliases: aliasWords(site),
      base: siteAddress(ofOperators, params),
      parent: ofOperators.parentOf(params),
    }
  },
  template: 'pages/sites/site',
})

/** The forms about websites, for customers and for administrators and resellers. */
export const settingPages: Page[] = [
  ...[ofCustomer, ofOperators].flatMap(section => [
    ...Object.values(siteForms(section)),
    ...Object.values(settingForms(section)),
    ...Object.values(nameForms(section)),
    ...Object.values(logPages(section)),
    ...Object.values(statisticsPages(section)),
  ]),
  settingsOf,
]
