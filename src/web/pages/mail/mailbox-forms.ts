import { Autoresponder } from '../../../model/mail/autoresponder.ts'
import { FilterLines, toLines } from '../../../model/mail/filters.ts'
import { localPart, mailDomain, mailPassword, quotaMb } from '../../../model/mail/mail-grammar.ts'
import * as mailboxes from '../../../model/mail/mailboxes.ts'
import { mailboxIn, type ShownMail } from '../../../model/mail/shown-mail.ts'
import { word } from '../../api-call.ts'
import { number, password, select, text, textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { addressIn, callOf, mailOf, namesOf, type MailSection } from './section.ts'

const things = {
  more: (left: number) => t('mail.roomMoreMailboxes', { left }),
  so: (max: number) => t('mail.roomNumberMailboxes', { max }),
  none: 'mail.roomNoneMailboxes',
} as const

const lower = (typed: string): string => typed.trim().toLowerCase()

/** The two halves of an address, of which the domain is one of the account's. */
export const addressFields = {
  local_part: text('mail.localPartLabel', localPart, {
    reads: lower,
    example: 'info',
    hint: 'mail.localPartHint',
    inputs: ['mailbox', 'alias'],
  }),
  domain: select('mail.atDomainLabel', mailDomain),
}

/** Returns the domains to choose from, those that get mail first. */
export const domainNames = ({ domains }: ShownMail): string[] =>
  [...domains]
    .sort((one, other) => one.state.localeCompare(other.state))
    .map(({ domain }) => domain)

/** Returns the whole address. */
export const addressOf = ({ local_part, domain }: { local_part: unknown; domain: unknown }) =>
  `${String(local_part)}@${String(domain)}`

const quota = number('mail.quotaLabel', quotaMb, { unit: 'mail.mb', hint: 'mail.quotaHint' })

const initialQuotaMb = 1_024

const fields = {
  add: {
    ...addressFields,
    password: password('mail.passwordLabel', mailPassword, { hint: 'mail.passwordHint' }),
    quota_mb: quota,
  },
  password: { password: password('mail.newPasswordLabel', mailPassword) },
  quota: { quota_mb: quota },
  autoresponder: {
    subject: text('mail.subjectLabel', Autoresponder.shape.subject, { hint: 'mail.subjectHint' }),
    message: textarea('mail.messageLabel', Autoresponder.shape.message),
    days: number('mail.daysLabel', Autoresponder.shape.days.unwrap(), {
      unit: 'mail.days',
      hint: 'mail.daysHint',
    }),
  },
  filters: {
    filters: textarea('mail.filters', FilterLines.optional(), { hint: 'mail.filtersHint' }),
  },
} as const

const initialDays = 7

/** Adds, changes and removes mailboxes of an account. */
export const mailboxForms = (section: MailSection) => {
  const { roles } = section
  const path = `${section.path}/mailboxes/:mailbox` as const
  const mailboxOf = (params: object): string => namesOf(params)['mailbox'] ?? ''
  const toMailbox = (params: object) => addressIn(section, params, 'mailboxes', mailboxOf(params))
  type Given = Parameters<MailSection['usernameOf']>[0]
  const ofMailbox = (given: Given) => ({
    username: section.usernameOf(given),
    mailbox: mailboxOf(given.params),
  })
  const calls = (params: object, verb: string, method: string, more: string[] = [], body = {}) =>
    callOf(params, {
      command: ['mailbox', verb, word(mailboxOf(params)), ...more],
      ...{ method, path: ['mailboxes', mailboxOf(params)] },
      ...(method === 'DELETE' ? {} : { body }),
    })
  return {
    add: form({
      path: `${section.path}/mailboxes/new`,
      roles,
      title: () => t('mail.addMailbox'),
      parent: params => addressIn(section, params),
      fields: fields.add,
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const names = domainNames(mail)
        if (names.length === 0) return { words: [t('mail.addDomainFirst')], isIdle: true }
        const { maxMailboxes: max, name } = record.package
        const packageName = section.isOwn ? {} : { packageName: name }
        const room = roomFor(things, { has: mail.mailboxes.length, max, ...packageName })
        const values = { domain: asked.query.get('domain') ?? names[0]!, quota_mb: initialQuotaMb }
        return { ...room, values, options: { domain: names } }
      },
      submit: 'mail.addMailbox',
      call: (params, { local_part, domain, quota_mb }) =>
        callOf(params, {
          command: ['mailbox', 'add', word(addressOf({ local_part, domain }))].concat(
            `--quota-mb ${word(quota_mb)}`,
          ),
          ...{ method: 'POST', path: ['mailboxes'] },
          body: { mailbox: addressOf({ local_part, domain }), password: '…', quota_mb },
        }),
      write: mailboxes.add,
      toDesired: given => ({
        username: section.usernameOf(given),
        mailbox: addressOf(given.values),
        ...{ password: given.values.password, quota_mb: given.values.quota_mb },
      }),
      then: ({ params, values }) => addressIn(section, params, 'mailboxes', addressOf(values)),
      flash: (_params, _answer, values) => t('mail.mailboxWasAdded', { of: addressOf(values) }),
    }),
    password: form({
      path: `${path}/password`,
      roles,
      title: params => t('mail.passwordOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: fields.password,
      async load(asked) {
        mailboxIn((await mailOf(section, asked)).mail, mailboxOf(asked.params))
        return { words: [t('mail.passwordWords')] }
      },
      submit: 'mail.setPassword',
      call: params => ({
        ...calls(params, 'password', 'PUT', [], { password: '…' }),
        path: `${calls(params, 'password', 'PUT').path}/password`,
      }),
      write: mailboxes.setPassword,
      toDesired: given => ({ ...ofMailbox(given), ...given.values }),
      flash: params => t('mail.passwordWasSet', { of: mailboxOf(params) }),
    }),
    quota: form({
      path: `${path}/size`,
      roles,
      title: params => t('mail.sizeOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: fields.quota,
      async load(asked) {
        const { mail } = await mailOf(section, asked)
        return { values: { quota_mb: mailboxIn(mail, mailboxOf(asked.params)).quota_mb } }
      },
      submit: 'mail.save',
      call: (params, { quota_mb }) =>
        calls(params, 'set', 'PATCH', [`--quota-mb ${word(quota_mb)}`], { quota_mb }),
      write: mailboxes.set,
      toDesired: given => ({ ...ofMailbox(given), ...given.values }),
      flash: params => t('mail.sizeWasChanged', { of: mailboxOf(params) }),
    }),
    autoresponder: form({
      path: `${path}/autoresponder`,
      roles,
      title: params => t('mail.autoresponderOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: fields.autoresponder,
      async load(asked) {
        const { mail } = await mailOf(section, asked)
        const { autoresponder } = mailboxIn(mail, mailboxOf(asked.params))
        const values = autoresponder ?? { days: initialDays }
        return { values, words: [t('mail.autoresponderWords')] }
      },
      submit: 'mail.save',
      call: (params, values) =>
        calls(
          params,
          'set',
          'PATCH',
          [`--autoresponder FILE --subject ${word(values['subject'] || 'Away')}`].concat(
            `--days ${word(values['days'])}`,
          ),
          { autoresponder: values },
        ),
      write: mailboxes.set,
      toDesired: given => ({ ...ofMailbox(given), autoresponder: given.values }),
      flash: params => t('mail.autoresponderIsOn', { of: mailboxOf(params) }),
    }),
    filters: form({
      path: `${path}/filters`,
      roles,
      title: params => t('mail.filtersOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: fields.filters,
      async load(asked) {
        const { mail } = await mailOf(section, asked)
        const { filters } = mailboxIn(mail, mailboxOf(asked.params))
        return { values: { filters: toLines(filters) }, words: [t('mail.filtersWords')] }
      },
      submit: 'mail.save',
      call: (params, { filters }) => calls(params, 'set', 'PATCH', ['--filters FILE'], { filters }),
      write: mailboxes.set,
      toDesired: given => ({ ...ofMailbox(given), filters: given.values.filters ?? [] }),
      flash: params => t('mail.filtersWereSaved', { of: mailboxOf(params) }),
    }),
    noAutoresponder: form({
      path: `${path}/autoresponder/end`,
      roles,
      title: params => t('mail.endAutoresponderOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: {},
      async load(asked) {
        mailboxIn((await mailOf(section, asked)).mail, mailboxOf(asked.params))
        return { words: [t('mail.endAutoresponderWords')] }
      },
      submit: 'mail.turnOff',
      call: params =>
        calls(params, 'set', 'PATCH', ['--no-autoresponder'], { autoresponder: null }),
      write: mailboxes.set,
      toDesired: given => ({ ...ofMailbox(given), autoresponder: null }),
      flash: params => t('mail.autoresponderIsOff', { of: mailboxOf(params) }),
    }),
    remove: form({
      path: `${path}/remove`,
      roles,
      title: params => t('mail.removeMailboxOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: {},
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const { mailbox } = mailboxIn(mail, mailboxOf(asked.params))
        const leading = [
          ...mail.aliases.filter(({ targets }) => targets.includes(mailbox)),
          ...mail.domains.flatMap(one =>
            one.catch_all === mailbox ? [{ alias: `*@${one.domain}` }] : [],
          ),
        ]
        const names = leading.map(({ alias }) => alias).join(', ')
        const words = [
          t('mail.mailboxLoss', { folder: `removed-${mailbox}` }),
          ...(leading.length > 0 ? [t('mail.mailboxLossAliases', { names })] : []),
        ]
        return lockedNotice(asked.caller, record) ?? { words }
      },
      submit: 'mail.removeMailbox',
      isDanger: true,
      confirm: mailboxOf,
      call: params => calls(params, 'rm', 'DELETE'),
      write: mailboxes.remove,
      toDesired: ofMailbox,
      then: ({ params }) => addressIn(section, params),
      flash: params => t('mail.mailboxWasRemoved', { of: mailboxOf(params) }),
    }),
  }
}
