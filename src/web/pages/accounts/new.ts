import * as grammar from '../../../model/grammar/grammar.ts'
import { hostIn } from '../../../model/grammar/search-words.ts'
import * as writes from '../../../model/accounts/account-writes.ts'
import { word } from '../../api-call.ts'
import { email, password, select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { operators } from '../../page.ts'
import { optionsForNew } from './package-options.ts'

/** /accounts/new */
export const newAccount = form({
  path: '/accounts/new',
  roles: operators,
  title: () => 'Create account',
  parent: () => '/accounts',
  fields: {
    username: text('Username', grammar.username, {
      example: 'alice',
      hint: 'Also used for SFTP. It cannot be changed later.',
    }),
    password: password('Password', grammar.password, {
      hint: 'For SFTP and for signing in here; at least 8 characters.',
    }),
    email: email('E-mail address', grammar.email, { example: 'alice@example.com' }),
    package: select('Package', grammar.packageName),
    domain: text('Domain', grammar.siteDomain.optional(), {
      example: 'alice.example',
      reads: hostIn,
      hint: 'The first website. You can add others later.',
    }),
    reference: text('Reference', grammar.reference.optional(), {
      example: 'order-1041',
      hint: 'Your own reference, such as an order number. It must be unique.',
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
  submit: 'Create account',
  flash: () => 'The account was created.',
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
