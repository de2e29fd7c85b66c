import { PanelError } from '../../../errors.ts'
import { recorded } from '../../../model/history/history.ts'
import { createToken, listTokens, NewToken, revokeToken } from '../../../model/signing-in/tokens.ts'
import { flags, word } from '../../api-call.ts'
import { listOf, select, text, textarea } from '../../fields.ts'
import { form, type FormAsked } from '../../form.ts'
import { draw, goToSaying, operators, page, type PageRequest } from '../../page.ts'
import { whyUnlicensed } from '../../unlicensed.ts'
import { t } from '../../texts/texts.ts'
import { tabsOf } from './overview.ts'
import { current } from './password.ts'
import { sections, provePassword } from './section.ts'
import { checkExpiry, expiryFields, expiryOf, expiryWord, lifetimeOptions } from './token-expiry.ts'

// API tokens of operators: creating one needs the password again, and shows it once.

const section = sections.operator
const base = `${section.base}/tokens` as const

/** /my-account/tokens/new */
export const newToken = form({
  path: `${base}/new`,
  roles: operators,
  title: () => t('myAccount.createApiToken'),
  parent: () => base,
  fields: {
    name: text('myAccount.nameLabel', NewToken.shape.name, {
      example: 'Billing',
      hint: 'myAccount.nameHint',
    }),
    permission: select('myAccount.permissionLabel', NewToken.shape.permission),
    allowed: textarea('myAccount.allowedLabel', listOf(NewToken.shape.allowed), {
      example: '192.0.2.7',
      hint: 'myAccount.allowedHint',
    }),
    ...expiryFields,
    current,
  },
  async load({ wiring }) {
    const sentence = whyNoToken(wiring)
    if (sentence !== undefined) return { notice: { tone: 'warn', sentence }, isIdle: true }
    return {
      values: { permission: 'Provisioning only', lifetime: 'never' },
      options: { permission: NewToken.shape.permission.options, lifetime: lifetimeOptions() },
      words: [t('myAccount.provisioningOnlyProgramCreates')],
    }
  },
  submit: 'myAccount.createToken',
  call: (_, { name, permission, allowed, ...expiry }, who) => ({
    command:
      `panel token create --owner ${word(who.name)} --name ${word(name)}` +
      (permission !== undefined && permission !== 'Provisioning only'
        ? ` --permission ${word(permission)}`
        : '') +
      flags('--allow', allowed) +
      flags('--expires', expiryWord(expiry)),
  }),
  async check(given) {
    given.wiring.requireLicense()
    checkExpiry(given.values)
    await provePassword(given, given.values.current)
  },
  async act(given) {
    const { pool, session, caller, values } = given
    const { name, permission, allowed } = values
    const expiresAt = expiryOf(values)
    const change = {
      action: 'token/create',
      about: `${session.name}, token ${name}`,
    } as const
    const { token } = await recorded(pool, caller, change, db =>
      createToken(db, { owner: session.name, name, permission, allowed, expiresAt }),
    )
    return draw(given, 200, 'pages/my-account/token', { token, name, base })
  },
})

// Asked once more where the token is made.
function whyNoToken(wiring: PageRequest['wiring']): string | undefined {
  const why = whyUnlicensed(wiring)
  return why && t('myAccount.apiTokensNeedPaid', { why })
}

/** /my-account/tokens/ID/revoke */
export const revoke = form({
  path: `${base}/:id/revoke`,
  roles: operators,
  title: () => t('myAccount.revokeApiToken'),
  parent: () => base,
  fields: {},
  async load(asked) {
    const { name } = await own(asked)
    return {
      words: [t('myAccount.tokenNameWillRevoked', { name })],
    }
  },
  submit: 'myAccount.revoke',
  call: ({ id }) => ({ command: `panel token revoke ${word(id)}` }),
  isDanger: true,
  async act(given) {
    const { pool, session, caller, wiring } = given
    const { id, name } = await own(given)
    const change = {
      action: 'token/revoke',
      about: `${session.name}, token ${name}`,
    } as const
    await recorded(pool, caller, change, db => revokeToken(db, id))
    return goToSaying(base, t('myAccount.tokenNameWasRevoked', { name }), wiring)
  },
})

// Operators see only their own.
async function own({ pool, session, params }: FormAsked<'/:id'>) {
  const token = (await listTokens(pool, session.name)).find(({ id }) => id === params.id)
  if (token === undefined) throw new PanelError('not_found', t('myAccount.unknownToken'))
  return token
}

/** /my-account/tokens */
export const tokenList = page({
  path: base,
  roles: operators,
  navigation: { label: 'myAccount.apiTokens', within: section.base },
  load: async ({ pool, session, wiring }) => ({
    tabs: tabsOf(section),
    why: whyNoToken(wiring),
    tokens: (await listTokens(pool, session.name)).reverse(),
  }),
  template: 'pages/my-account/tokens',
})
