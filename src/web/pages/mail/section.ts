import * as accounts from '../../../model/accounts/accounts.ts'
import { readMail } from '../../../model/mail/shown-mail.ts'
import { fill } from '../../addresses.ts'
import { word } from '../../api-call.ts'
import { customers, operators, type PageRequest, type Role } from '../../page.ts'
import { showAccount } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'

// The two sections with pages about mail: a customer's own, and those of an account.

type Names = Record<string, string>
type Asked = Pick<PageRequest, 'pool' | 'caller' | 'session'> & { params: object }

export type MailSection = {
  path: string
  roles: readonly Role[]
  /** Whether it is the account that is signed in. */
  isOwn: boolean
  usernameOf: (asked: Pick<Asked, 'session' | 'params'>) => string
  /** The head of the first page. */
  headOf: (asked: Asked) => Promise<object>
}

export const ofCustomer: MailSection = {
  path: '/account/mail',
  roles: customers,
  isOwn: true,
  usernameOf: ({ session }) => session.name,
  headOf: async () => ({ title: t('mail.mail'), lead: t('mail.lead') }),
}

export const ofOperators: MailSection = {
  path: '/accounts/:username/mail',
  roles: operators,
  isOwn: false,
  usernameOf: ({ params }) => namesOf(params)['username'] ?? '',
  headOf: async asked => (await showAccount(asked, namesOf(asked.params)['username'] ?? '')).head,
}

export const namesOf = (params: object): Names => params as Names

/** Returns an address within the section, such as that of a mailbox. */
export const addressIn = ({ path }: MailSection, params: object, ...rest: string[]): string =>
  [fill(path, namesOf(params)), ...rest.map(encodeURIComponent)].join('/')

/** Returns the account that the mail belongs to, with all of its mail, if the caller may see it. */
export async function mailOf(section: MailSection, asked: Asked) {
  const record = await accounts.get(asked.pool, asked.caller, section.usernameOf(asked))
  return { record, mail: await readMail(asked.pool, record) }
}

/** Returns the same as a command, and as a call of the API below the account's address. */
export function callOf(
  params: object,
  { command, method, path, body }: Call,
): { command: string; method: string; path: string; body?: object } {
  const username = namesOf(params)['username'] ?? 'USERNAME'
  const [group = '', verb = '', ...rest] = command
  return {
    command: ['panel mail', group, verb, word(username), ...rest].join(' '),
    method,
    path: ['/accounts', username, ...path].map(encode).join('/'),
    ...(body && { body }),
  }
}

type Call = { command: string[]; method: string; path: string[]; body?: object }

const encode = (part: string, index: number): string =>
  index === 0 ? part : encodeURIComponent(part)
