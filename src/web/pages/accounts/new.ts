import * as grammar from '../../../model/grammar/grammar.ts'
import { hostIn } from '../../../model/grammar/search-words.ts'
import * as writes from '../../../model/accounts/account-writes.ts'
import { word } from '../../api-call.ts'
import { email, password, select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { operators } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { optionsForNew } from './package-options.ts'

/** /accounts/new */
export const newAccount = form({
  path: '/accounts/new',
  roles: operators,
  title: () => t('accounts.createAccount'),
  parent: () => '/accounts',
  fields: {
    username: text('accounts.usernameLabel', grammar.username, {
      example: 'alice',
      hint: 'accounts.usernameHint',
    }),
    password: password('accounts.password', grammar.password, {
      hint: 'accounts.sftpSigningHereLeast',
    }),
    email: email('accounts.emailLabel', grammar.email, { example: 'alice@example.com' }),
    package: select('accounts.packageLabel', grammar.packageName),
    domain: text('accounts.domainLabel', grammar.siteDomain.optional(), {
      example: 'alice.example',
      reads: hostIn,
      hint: 'accounts.domainHint',
    }),
    reference: text('accounts.referenceLabel', grammar.reference.optional(), {
      example: 'order-1041',
      hint: 'accounts.referenceHint',
    }),
  },
  async load(asked) {
    const { names, why, link } = await optionsForNew(asked)
    if (why !== undefined) {
      const notice = { tone: 'warn', sentence: why, ...(link && { link }) }
      return { notice, isIdle: true }
    }
    return { options: { package: names }, values: { package: names[0] ?? null } }
  },
  submit: 'accounts.createAccount',
  flash: () => t('accounts.accountWasCreated'),
  call: (_, values) => ({
    method: 'POST',
    path: '/accounts',
    body: values,
    command:
      `panel account create ${word(values['username'])} --email ${word(values['email'])} ` +
      `--package ${word(values['package'])} --domain ${word(values['domain'])} ` +
      `--reference ${word(values['reference'])}`,
  }),
  write: writes.create,
  toDesired: ({ values }) => values,
  then: ({ values }) => `/accounts/${values.username}`,
})
