import { z } from 'zod'
import { recordsOf } from '../model/mail/dns-records.ts'
import * as domains from '../model/mail/mail-domains.ts'
import { mailDomain } from '../model/mail/mail-grammar.ts'
import { MailDomain, MailDomainRecords } from '../model/mail/mail-rows.ts'
import { EmptyBody, reading, writing, type Endpoint } from './endpoint.ts'

// A caller that can set the password of a mailbox can read its mail.
const permissions = ['Provisioning and hosting'] as const
/** The end of each description. */
export const needed = ' The token must have the permission `Provisioning and hosting`.'
const tag = 'Accounts' as const
const refusals: 'not_found'[] = ['not_found']
export const base = '/accounts/{username}'
/** The parts of each endpoint of mail. */
export const common = { tag, permissions, refusals }

const domain: MailDomain = {
  domain: 'alice.example',
  state: 'pending',
  catch_all: null,
  mail_host: 'mail.panel.example',
  proof: 'panel-mail=6c1f0c5f6f0b4c0e9f5d1b0a7e3c2d41',
  dkim: { name: 'p202611._domainkey.alice.example', value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkq' },
  missing_since: null,
  created_at: '2026-11-27T08:15:00.000Z',
}

const withRecords: MailDomainRecords = {
  ...domain,
  records: recordsOf(
    { ...{ domain: 'alice.example', host: 'mail.panel.example' }, selector: 'p202611', key: null },
    [
      {
        ...{ record: 'mx', result: 'wrong', found: ['10 mail.elsewhere.example.'] },
        checked_at: '2026-11-27T08:16:00.000Z',
      },
    ],
  ),
}

const oneDomain = { name: 'MailDomain', schema: MailDomain, example: domain }
const domainWithRecords = {
  ...{ name: 'MailDomainRecords', schema: MailDomainRecords, example: withRecords },
}

const inPath = { domain: { domain: { schema: mailDomain, example: domain.domain } } }

/** The endpoints of mail domains. */
export const mailDomainEndpoints: Endpoint[] = [
  reading({
    ...common,
    id: 'listMailDomains',
    method: 'GET',
    path: `${base}/mail-domains`,
    summary: 'List the mail domains of an account',
    description: `With what their DNS records need.${needed}`,
    answers: {
      200: {
        description: 'The mail domains, by name',
        name: 'MailDomainList',
        schema: z.strictObject({ mail_domains: z.array(MailDomain) }),
        example: { mail_domains: [domain] },
      },
    },
    read:
      ({ pool }) =>
      async ({ caller, params }) => ({
        mail_domains: await domains.listFor(pool, caller, params.username),
      }),
  }),
  writing({
    ...common,
    id: 'addMailDomain',
    method: 'POST',
    path: `${base}/mail-domains`,
    summary: 'Add a mail domain',
    description:
      "It gets mail once its DNS records show that it is the account's. Refused with 400 on a " +
      `server without mail.${needed}`,
    body: {
      ...{ name: 'NewMailDomain', schema: domains.NewMailDomain },
      ...{ example: { domain: domain.domain }, isRequired: true },
    },
    answers: { 201: { description: 'The domain was added', hasLocation: true, ...oneDomain } },
    write: domains.add,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  reading({
    ...common,
    id: 'getMailDomain',
    method: 'GET',
    path: `${base}/mail-domains/{domain}`,
    parameters: inPath.domain,
    summary: 'Show a mail domain',
    description: `With its DNS records and what the last check found.${needed}`,
    answers: { 200: { description: 'The domain', ...domainWithRecords } },
    read:
      ({ pool }) =>
      ({ caller, params }) =>
        domains.getFor(pool, caller, params),
  }),
  writing({
    ...common,
    id: 'checkMailDomain',
    method: 'POST',
    path: `${base}/mail-domains/{domain}/check`,
    parameters: inPath.domain,
    summary: 'Check the DNS records of a mail domain',
    description:
      'They are checked now instead of at the next time. The request does not wait: the domain ' +
      `shows the result some seconds later.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The domain before the check', ...oneDomain } },
    write: domains.check,
    toDesired: params => params,
  }),
  writing({
    ...common,
    id: 'changeMailDomain',
    method: 'PATCH',
    path: `${base}/mail-domains/{domain}`,
    parameters: inPath.domain,
    summary: 'Change a mail domain',
    description: `The package has to allow an address for all unknown ones.${needed}`,
    body: {
      ...{ name: 'MailDomainChange', schema: domains.MailDomainChange },
      ...{ example: { catch_all: 'info@alice.example' }, isRequired: true },
    },
    answers: { 200: { description: 'The domain was changed', ...oneDomain } },
    write: domains.set,
    toDesired: (params, body) => ({ ...params, ...body }),
  }),
  writing({
    ...common,
    id: 'removeMailDomain',
    method: 'DELETE',
    path: `${base}/mail-domains/{domain}`,
    parameters: inPath.domain,
    summary: 'Remove a mail domain',
    description: `With its aliases. Refused with 400 while it has mailboxes.${needed}`,
    body: { schema: EmptyBody },
    answers: { 200: { description: 'The domain as it was', ...oneDomain } },
    write: domains.remove,
    toDesired: params => params,
  }),
]
