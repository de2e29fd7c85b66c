import { z } from 'zod'
import * as aliases from '../../../model/mail/mail-aliases.ts'
import { aliasIn, mailboxIn, type ShownMail } from '../../../model/mail/shown-mail.ts'
import { word } from '../../api-call.ts'
import { checkbox, listOf, textarea } from '../../fields.ts'
import { form, refuse } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { addressFields, addressOf, domainNames } from './mailbox-forms.ts'
import { addressIn, callOf, mailOf, namesOf, type MailSection } from './section.ts'

const things = {
  more: (left: number) => t('mail.roomMoreAliases', { left }),
  so: (max: number) => t('mail.roomNumberAliases', { max }),
  none: 'mail.roomNoneAliases',
} as const

/** The number of aliases for each mailbox that the package allows (add_mail_alias.sql). */
export const aliasesPerMailbox = 10

const words = { example: 'me@example.com', hint: 'mail.targetsHint', isPlural: true } as const
const { shape } = aliases.AliasTargets
const targets = textarea('mail.targetsLabel', listOf(shape.targets), words)

const fields = {
  add: { ...addressFields, targets },
  edit: { targets },
  forward: {
    targets: textarea('mail.targetsLabel', listOf(aliases.forwardTargets), words),
    keeps: checkbox('mail.keepsLabel', z.boolean()),
  },
}

const itemsIn = (typed: unknown): string[] =>
  String(typed ?? '')
    .split(/[\s,]+/)
    .filter(one => one !== '')

const isThere = ({ aliases: all }: ShownMail, address: string): boolean =>
  all.some(({ alias }) => alias === address)

// The mailbox among the targets keeps a copy.
function forwardTo(mailbox: string, to: readonly string[], keeps: boolean): string[] {
  const others = to.filter(one => one !== mailbox)
  return keeps || others.length === 0 ? [mailbox, ...others] : others
}

/** Sets and removes aliases of an account, and where the mail of its mailboxes is forwarded to. */
export const aliasForms = (section: MailSection) => {
  const { roles } = section
  const path = `${section.path}/aliases/:alias` as const
  const aliasOf = (params: object): string => namesOf(params)['alias'] ?? ''
  const mailboxOf = (params: object): string => namesOf(params)['mailbox'] ?? ''
  const toList = (params: object) => addressIn(section, params)
  const toMailbox = (params: object) => addressIn(section, params, 'mailboxes', mailboxOf(params))
  const ofAlias = (given: Parameters<typeof section.usernameOf>[0]) => ({
    username: section.usernameOf(given),
    alias: aliasOf(given.params),
  })
  const call = (params: object, alias: string, to: string[]) =>
    callOf(params, {
      command: ['alias', 'set', word(alias), ...to.map(word)],
      ...{ method: 'PUT', path: ['mail-aliases', alias], body: { targets: to } },
    })
  return {
    add: form({
      path: `${section.path}/aliases/new`,
      roles,
      title: () => t('mail.addAlias'),
      parent: toList,
      fields: fields.add,
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const names = domainNames(mail)
        if (names.length === 0) return { words: [t('mail.addDomainFirst')], isIdle: true }
        const { maxMailboxes, name } = record.package
        const packageName = section.isOwn ? {} : { packageName: name }
        const max = aliasesPerMailbox * maxMailboxes
        const room = roomFor(things, { has: mail.aliases.length, max, ...packageName })
        const values = { domain: asked.query.get('domain') ?? names[0]! }
        return { ...room, values, options: { domain: names } }
      },
      submit: 'mail.addAlias',
      // An existing alias would be overwritten unnoticed.
      async check(given) {
        const { mail } = await mailOf(section, given)
        const of = addressOf(given.values)
        if (isThere(mail, of)) refuse({ local_part: t('mail.aliasTaken', { of }) })
        const isMailbox = mail.mailboxes.some(({ mailbox }) => mailbox === of)
        if (isMailbox) refuse({ local_part: t('mail.aliasIsMailbox', { of }) })
      },
      call: (params, values) =>
        call(
          params,
          addressOf({ local_part: values['local_part'], domain: values['domain'] }),
          itemsIn(values['targets']),
        ),
      write: aliases.set,
      toDesired: given => ({
        username: section.usernameOf(given),
        alias: addressOf(given.values),
        targets: given.values.targets,
      }),
      flash: (_params, _answer, values) => t('mail.aliasWasAdded', { of: addressOf(values) }),
    }),
    edit: form({
      path,
      roles,
      title: params => t('mail.changeAliasOf', { of: aliasOf(params) }),
      parent: toList,
      fields: fields.edit,
      async load(asked) {
        const { mail } = await mailOf(section, asked)
        const found = aliasIn(mail, aliasOf(asked.params))
        return { values: { targets: found.targets.join('\n') } }
      },
      submit: 'mail.save',
      async check(given) {
        aliasIn((await mailOf(section, given)).mail, aliasOf(given.params))
      },
      call: (params, values) => call(params, aliasOf(params), itemsIn(values['targets'])),
      write: aliases.set,
      toDesired: given => ({ ...ofAlias(given), targets: given.values.targets }),
      flash: params => t('mail.aliasWasChanged', { of: aliasOf(params) }),
    }),
    remove: form({
      path: `${path}/remove`,
      roles,
      title: params => t('mail.removeAliasOf', { of: aliasOf(params) }),
      parent: toList,
      fields: {},
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const { alias, targets: to } = aliasIn(mail, aliasOf(asked.params))
        const isMailbox = mail.mailboxes.some(({ mailbox }) => mailbox === alias)
        const names = to.join(', ')
        const words = [
          isMailbox
            ? t('mail.forwardLoss', { names, of: alias })
            : t('mail.aliasLoss', { names, of: alias }),
        ]
        return lockedNotice(asked.caller, record) ?? { words }
      },
      submit: 'mail.remove',
      isDanger: true,
      call: params =>
        callOf(params, {
          command: ['alias', 'rm', word(aliasOf(params))],
          ...{ method: 'DELETE', path: ['mail-aliases', aliasOf(params)] },
        }),
      write: aliases.remove,
      toDesired: ofAlias,
      flash: params => t('mail.aliasWasRemoved', { of: aliasOf(params) }),
    }),
    forward: form({
      path: `${section.path}/mailboxes/:mailbox/forward`,
      roles,
      title: params => t('mail.forwardOf', { of: mailboxOf(params) }),
      parent: toMailbox,
      fields: fields.forward,
      async load(asked) {
        const { mail } = await mailOf(section, asked)
        const { mailbox } = mailboxIn(mail, mailboxOf(asked.params))
        const found = mail.aliases.find(({ alias }) => alias === mailbox)
        const to = found?.targets.filter(one => one !== mailbox) ?? []
        const keeps = found === undefined || found.targets.includes(mailbox)
        return { values: { targets: to.join('\n'), keeps }, words: [t('mail.forwardWords')] }
      },
      submit: 'mail.save',
      async check(given) {
        mailboxIn((await mailOf(section, given)).mail, mailboxOf(given.params))
      },
      call: (params, values) => {
        const keeps = values['keeps'] === true
        const to = forwardTo(mailboxOf(params), itemsIn(values['targets']), keeps)
        return call(params, mailboxOf(params), to)
      },
      write: aliases.set,
      toDesired: given => ({
        username: section.usernameOf(given),
        alias: mailboxOf(given.params),
        targets: forwardTo(mailboxOf(given.params), given.values.targets, given.values.keeps),
      }),
      flash: params => t('mail.forwardWasSet', { of: mailboxOf(params) }),
    }),
  }
}
