import { z } from 'zod'
import * as aliases from '../model/mail/mail-aliases.ts'
import { mailboxAddress } from '../model/mail/mail-grammar.ts'
import { MailAlias, Mailbox } from '../model/mail/mail-rows.ts'
import * as mailboxes from '../model/mail/mailboxes.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'
import { base, common, mailDomainEndpoints, needed } from './mail-domains.ts'

const mailbox: Mailbox = {
  mailbox: 'info@alice.example',
  quota_mb: 1_024,
  used_mb: 12,
  autoresponder: null,
  filters: [{ header: 'subject', contains: 'invoice', folder: 'Bills' }],
  created_at: '2026-11-27T08:16:00.000Z',
}

const alias: MailAlias = {
  alias: 'contact@alice.example',
  targets: ['info@alice.example', 'alice@example.com'],
}

const oneMailbox = { name: 'Mailbox', schema: Mailbox, example: mailbox }
const oneAlias = { name: 'MailAlias', schema: MailAlias, example: alias }

const inPath = {
  mailbox: { mailbox: { schema: mailboxAddress, example: mailbox.mailbox } },
  alias: { alias: { schema: mailboxAddress, example: alias.alias } },
}

const mailboxEndpoints: Endpoint[] = [
  reading({
    ...common,
    id: 'listMailboxes',
    method: 'GET',
    path: `${base}/mailboxes`,
    summary: 'List the mailboxes of an account',
    description: `Of all its mail domains.${needed}`,
    answers: {
      200: {
        description: 'The mailboxes, by domain and name',
        name: 'MailboxList',
        schema: z.strictObject({ mailboxes: z.array(Mailbox) }),
        example: { mailboxes: [mailbox] },
      },
    },
    read:
      ({ pool }) =>
      async ({ caller, params }) => ({
        mailboxes: await mailboxes.listFor(pool, caller, params.username),
      }),
  }),
  writing({
    ...common,
    id: 'addMailbox',
    method: 'POST',
    path: `${base}/mailboxes`,
    summary: 'Add a mailbox',
    description: `Its address is the name to log in with, by IMAP and to send.${needed}`,
    body: {
      ...{ name: 'NewMailbox', schema: mailboxes.NewMailbox, isRequired: true },
      example: { mailbox: mailbox.mailbox, password: 'correct horse battery' },
    },
    answers: { 201: { description: 'The mailbox was added', hasLocation: true, ...oneMailbox } },
    write: mailboxes.add,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    ...common,
    id: 'changeMailbox',
    method: 'PATCH',
    path: `${base}/mailboxes/{mailbox}`,
    parameters: inPath.mailbox,
    summary: 'Change a mailbox',
    description: `A field left out keeps its value.${needed}`,
    body: {
      ...{ name: 'MailboxChange', schema: mailboxes.MailboxChange, isRequired: true },
      example: {
        autoresponder: { subject: 'Away', message: 'I am back on Monday.', days: 7 },
      },
    },
    answers: { 200: { description: 'The mailbox was changed', ...oneMailbox } },
    write: mailboxes.set,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    ...common,
    id: 'setMailboxPassword',
    method: 'PUT',
    path: `${base}/mailboxes/{mailbox}/password`,
    parameters: inPath.mailbox,
    summary: 'Set the password of a mailbox',
    description: `Connections with the former password are ended.${needed}`,
    body: {
      ...{ name: 'MailboxPassword', schema: mailboxes.MailboxPassword, isRequired: true },
      example: { password: 'correct horse battery' },
    },
    answers: { 200: { description: 'The password was set', ...oneMailbox } },
    write: mailboxes.setPassword,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    ...common,
    id: 'removeMailbox',
    method: 'DELETE',
    path: `${base}/mailboxes/{mailbox}`,
    parameters: inPath.mailbox,
    summary: 'Remove a mailbox',
    description: `Its mail is kept in the account's files, as \`removed-ADDRESS\`.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The mailbox as it was', ...oneMailbox } },
    write: mailboxes.remove,
    toDesired: params => params,
  }),
]

const aliasEndpoints: Endpoint[] = [
  reading({
    ...common,
    id: 'listMailAliases',
    method: 'GET',
    path: `${base}/mail-aliases`,
    summary: 'List the mail aliases of an account',
    description: `Addresses that lead to others, here or elsewhere.${needed}`,
    answers: {
      200: {
        description: 'The aliases, by domain and name',
        name: 'MailAliasList',
        schema: z.strictObject({ mail_aliases: z.array(MailAlias) }),
        example: { mail_aliases: [alias] },
      },
    },
    read:
      ({ pool }) =>
      async ({ caller, params }) => ({
        mail_aliases: await aliases.listFor(pool, caller, params.username),
      }),
  }),
  writing({
    ...common,
    id: 'setMailAlias',
    method: 'PUT',
    path: `${base}/mail-aliases/{alias}`,
    parameters: inPath.alias,
    summary: 'Set a mail alias',
    description:
      'Adds it, or changes where it leads. With the name of a mailbox it decides about its mail: ' +
      `to keep a copy, name the mailbox among the targets.${needed}`,
    body: {
      ...{ name: 'MailAliasTargets', schema: aliases.AliasTargets, isRequired: true },
      example: { targets: alias.targets },
    },
    answers: { 200: { description: 'The alias', ...oneAlias } },
    write: aliases.set,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    ...common,
    id: 'removeMailAlias',
    method: 'DELETE',
    path: `${base}/mail-aliases/{alias}`,
    parameters: inPath.alias,
    summary: 'Remove a mail alias',
    description: `Mail for it is refused from then on, unless there is a mailbox.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The alias as it was', ...oneAlias } },
    write: aliases.remove,
    toDesired: params => params,
  }),
]

/** The endpoints of mail domains, mailboxes and aliases. */
export const mailEndpoints: Endpoint[] = [
  ...mailDomainEndpoints,
  ...mailboxEndpoints,
  ...aliasEndpoints,
]
