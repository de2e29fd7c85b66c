import { z } from 'zod'
import { name } from '../events/event-fields.ts'
import { hostMail } from '../mail/host-mail.ts'
import { forAll } from '../operations/operation-kind.ts'
import { eventKind, type ResourceKind } from '../operations/resource-kind.ts'

/** Mail domains with their mailboxes and aliases. */
export const mail = {
  tables: ['mail_aliases', 'mailboxes', 'mail_domains'],
  restore: 'restore_mail',
  operations: {
    'mail/add-domain': { lane: 'account', params: ['domain_id'], ...forAll },
    // Changes the address that gets the mail of all unknown ones.
    'mail/set-domain': { lane: 'account', params: ['domain_id', 'catch_all'], ...forAll },
    'mail/remove-domain': { lane: 'account', params: ['domain_id'], ...forAll, lifts: true },
    'mail/check-domain': { lane: 'none', params: [], ...forAll },
    'mail/add-mailbox': { lane: 'account', params: ['mailbox_id'], ...forAll },
    'mail/set-mailbox': {
      ...{ lane: 'account', params: ['mailbox_id', 'quota_mb', 'autoresponder', 'filters'] },
      ...forAll,
    },
    'mail/set-password': { lane: 'account', params: ['mailbox_id', 'hash'], ...forAll },
    'mail/remove-mailbox': { lane: 'account', params: ['mailbox_id'], ...forAll, lifts: true },
    // Adds it if there is none of the name.
    'mail/set-alias': { lane: 'account', params: ['alias_id', 'targets'], ...forAll },
    'mail/remove-alias': { lane: 'account', params: ['alias_id'], ...forAll, lifts: true },
  },
  labels: {
    'mail/add-domain': 'Add mail domain',
    'mail/set-domain': 'Change mail domain',
    'mail/remove-domain': 'Remove mail domain',
    'mail/check-domain': 'Check DNS of mail domain',
    'mail/add-mailbox': 'Add mailbox',
    'mail/set-mailbox': 'Change mailbox',
    'mail/remove-mailbox': 'Remove mailbox',
    'mail/set-password': 'Change password of mailbox',
    'mail/set-alias': 'Save mail alias',
    'mail/remove-alias': 'Remove mail alias',
  },
  themes: { mail: 'Mail' },
  secretRows: { key: 'mail', sql: 'account_mail(a.id)' },
  host: hostMail,
  part: { name: 'mailboxes', isSuspended: true },
  scheduled: { 'mail/measure': '*/15 * * * *' },
  refusals: {
    mail_off: [400, 'the server has no mail service'],
    mail_domain_in_use: [400, 'the mail domain still has mailboxes'],
    mail_domain_unknown: [404, 'the account has no such mail domain'],
    mailbox_taken: [400, 'the account has a mailbox of this name'],
    mailbox_unknown: [404, 'the account has no such mailbox'],
    mail_alias_unknown: [404, 'the account has no such mail alias'],
    catch_all_not_allowed: [400, 'the package allows no catch-all address'],
    too_many_mail_domains: [400, 'the package allows fewer mail domains'],
    too_many_mailboxes: [400, 'the package allows fewer mailboxes'],
    too_many_mail_aliases: [400, 'the package allows fewer mail aliases'],
  },
  events: {
    'mail.domain_created': eventKind(
      'a mail domain was made',
      z.strictObject({ username: name, domain: name }),
      {
        ...{ username: 'alice', domain: 'alice.example' },
      },
    ),
    'mail.mailbox_created': eventKind(
      'a mailbox was made',
      z.strictObject({ username: name, mailbox: name }),
      {
        ...{ username: 'alice', mailbox: 'info@alice.example' },
      },
    ),
  },
} as const satisfies ResourceKind
