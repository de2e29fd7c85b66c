import type { Page } from '../../page.ts'
import { aliasForms } from './alias-forms.ts'
import { domainForms } from './domain-forms.ts'
import { mailboxForms } from './mailbox-forms.ts'
import { ofCustomer, ofOperators, type MailSection } from './section.ts'
import { mailViews } from './views.ts'

// Fixed paths come before those with a name in them.
const pagesOf = (section: MailSection): Page[] => {
  const { all, ...views } = mailViews(section)
  const forms = [domainForms(section), mailboxForms(section), aliasForms(section)]
  return [
    all,
    ...forms.map(({ add }) => add),
    ...Object.values(views),
    ...forms.flatMap(({ add: _, ...others }) => Object.values<Page>(others)),
  ]
}

/** A customer's mail by its own pages. */
export const ownMailPages = pagesOf(ofCustomer)

/** The mail of an account, as administrators and resellers see and change it. */
export const accountMailPages = pagesOf(ofOperators)
