import { hostIn } from '../../../model/grammar/search-words.ts'
import * as domains from '../../../model/mail/mail-domains.ts'
import { mailDomain, mailTarget } from '../../../model/mail/mail-grammar.ts'
import { domainIn, isAt } from '../../../model/mail/shown-mail.ts'
import { word } from '../../api-call.ts'
import { text } from '../../fields.ts'
import { form } from '../../form.ts'
import { roomFor } from '../../room.ts'
import { lockedNotice } from '../accounts/shown.ts'
import { t } from '../../texts/texts.ts'
import { addressIn, callOf, mailOf, namesOf, type MailSection } from './section.ts'

const things = {
  more: (left: number) => t('mail.roomMoreDomains', { left }),
  so: (max: number) => t('mail.roomNumberDomains', { max }),
  none: 'mail.roomNoneDomains',
} as const

const newFields = {
  domain: text('mail.domainLabel', mailDomain, {
    reads: hostIn,
    example: 'example.com',
    hint: 'mail.domainHint',
  }),
}

const catchAllFields = {
  catch_all: text('mail.catchAllLabel', mailTarget.optional(), {
    example: 'info@example.com',
    hint: 'mail.catchAllHint',
  }),
}

/** Adds and removes mail domains of an account, and sets where their other mail goes. */
export const domainForms = (section: MailSection) => {
  const { roles } = section
  const path = `${section.path}/domains/:domain` as const
  const domainOf = (params: object): string => namesOf(params)['domain'] ?? ''
  const toDomain = (params: object) => addressIn(section, params, 'domains', domainOf(params))
  return {
    add: form({
      path: `${section.path}/domains/new`,
      roles,
      title: () => t('mail.addDomain'),
      parent: params => addressIn(section, params),
      fields: newFields,
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        if (mail.host === null) return { words: [t('mail.off')], isIdle: true }
        const { maxMailboxes: max, name } = record.package
        const packageName = section.isOwn ? {} : { packageName: name }
        const room = roomFor(things, { has: mail.domains.length, max, ...packageName })
        return room.isIdle ? room : { words: [...room.words, t('mail.getsMailOnceProved')] }
      },
      submit: 'mail.addDomain',
      call: (params, { domain }) =>
        callOf(params, {
          command: ['domain', 'add', word(domain)],
          ...{ method: 'POST', path: ['mail-domains'], body: { domain } },
        }),
      write: domains.add,
      toDesired: given => ({ username: section.usernameOf(given), ...given.values }),
      then: ({ params, values }) => addressIn(section, params, 'domains', values.domain),
      flash: (_params, _answer, { domain }) => t('mail.domainWasAdded', { domain }),
    }),
    check: form({
      path: `${path}/check`,
      roles,
      title: params => t('mail.checkDomain', { domain: domainOf(params) }),
      parent: toDomain,
      fields: {},
      async load(asked) {
        domainIn((await mailOf(section, asked)).mail, domainOf(asked.params))
        return { words: [t('mail.checkWords')] }
      },
      submit: 'mail.checkNow',
      call: params =>
        callOf(params, {
          command: ['domain', 'check', word(domainOf(params))],
          ...{ method: 'POST', path: ['mail-domains', domainOf(params), 'check'] },
        }),
      write: domains.check,
      toDesired: given => ({
        username: section.usernameOf(given),
        domain: domainOf(given.params),
      }),
      flash: params => t('mail.isChecked', { domain: domainOf(params) }),
    }),
    catchAll: form({
      path: `${path}/catch-all`,
      roles,
      title: params => t('mail.catchAllOf', { domain: domainOf(params) }),
      parent: toDomain,
      fields: catchAllFields,
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const { catch_all } = domainIn(mail, domainOf(asked.params))
        const values = { catch_all }
        if (record.package.mailCatchAll) return { values, words: [t('mail.catchAllWords')] }
        // An address that was set under an earlier package can be taken back.
        const words = [t('mail.catchAllNotAllowed')]
        return catch_all === null ? { words, isIdle: true } : { values, words }
      },
      submit: 'mail.save',
      call: (params, { catch_all }) =>
        callOf(params, {
          command: ['domain', 'set', word(domainOf(params)), '--catch-all'].concat(
            word(catch_all || 'none'),
          ),
          ...{ method: 'PATCH', path: ['mail-domains', domainOf(params)] },
          body: { catch_all: catch_all || null },
        }),
      write: domains.set,
      toDesired: given => ({
        username: section.usernameOf(given),
        domain: domainOf(given.params),
        catch_all: given.values.catch_all ?? null,
      }),
      flash: (_params, _answer, { catch_all: to }) =>
        to === undefined ? t('mail.catchAllWasEnded') : t('mail.catchAllWasSet', { to }),
    }),
    remove: form({
      path: `${path}/remove`,
      roles,
      title: params => t('mail.removeDomainOf', { domain: domainOf(params) }),
      parent: toDomain,
      fields: {},
      async load(asked) {
        const { record, mail } = await mailOf(section, asked)
        const { domain } = domainIn(mail, domainOf(asked.params))
        const mailboxes = mail.mailboxes.filter(({ mailbox }) => isAt(domain, mailbox))
        if (mailboxes.length > 0) {
          const names = mailboxes.map(({ mailbox }) => mailbox).join(', ')
          const words = [t('mail.domainHasMailboxes', { names, n: mailboxes.length })]
          return { words, isIdle: true }
        }
        const aliases = mail.aliases.filter(({ alias }) => isAt(domain, alias))
        const names = aliases.map(({ alias }) => alias).join(', ')
        const words = [
          t('mail.domainLoss', { domain }),
          ...(aliases.length > 0 ? [t('mail.domainLossAliases', { names })] : []),
        ]
        return lockedNotice(asked.caller, record) ?? { words }
      },
      submit: 'mail.removeDomain',
      isDanger: true,
      confirm: domainOf,
      call: params =>
        callOf(params, {
          command: ['domain', 'rm', word(domainOf(params))],
          ...{ method: 'DELETE', path: ['mail-domains', domainOf(params)] },
        }),
      write: domains.remove,
      toDesired: given => ({
        username: section.usernameOf(given),
        domain: domainOf(given.params),
      }),
      then: ({ params }) => addressIn(section, params),
      flash: params => t('mail.domainWasRemoved', { domain: domainOf(params) }),
    }),
  }
}
