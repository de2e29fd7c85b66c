import { ownedFile } from '../../src/host/mail-server/paths.ts'
import { clientOf } from '../machine/installed.ts'
import { sql } from '../machine/updated.ts'
import type { DebianMachine } from '../machine/debian-machine.ts'
import type { Role } from '../../src/web/page.ts'
import type { ResourceTests } from '../resource-tests.ts'

const domain = 'mail.example.org'
const box = `info@${domain}`
const alias = `contact@${domain}`
const password = 'correct horse battery'

// The rows and the channels: an installed panel of this suite has no mail daemons, which the
// namespace suite has.
const turnOn = (machine: DebianMachine) =>
  sql(machine, `update panel.server set mail = '{"host": "mail.example.net"}'`)
const turnOff = (machine: DebianMachine) => sql(machine, 'update panel.server set mail = null')

const staged = (role: Role) => (role === 'reseller' ? 'rob.example' : 'alice.example')

export const tests: ResourceTests = {
  things: role => ({
    domains: staged(role),
    mailboxes: `info@${staged(role)}`,
    aliases: `contact@${staged(role)}`,
  }),
  async stage(pool) {
    await pool.query(`update panel.server set mail = '{"host": "mail.example.net"}'`)
    await pool.query(`
      insert into panel.mail_domains (account_id, domain, state, verified_at, checked_at,
        missing_since, dkim_public_key, desired)
      select a.id, d.name, d.state, case d.state when 'active' then now() end,
        now() - interval '3 hours', case d.name when 'old.alice.example' then now() end,
        'MIIBIjANBgkq' || repeat('hkiG9w0BAQEFAAOCAQ8A', 19), 'present'
      from panel.accounts a,
        lateral (values (a.username || '.example', 'active'), ('alice-shop.example', 'pending'),
          ('old.alice.example', 'active')) d (name, state)
      where a.username = 'alice' or (a.username = 'rob' and d.name = 'rob.example')`)
    await pool.query(
      `insert into panel.mailboxes (account_id, domain_id, local_part, hash, quota_mb,
         autoresponder, desired)
       select d.account_id, d.id, l.name, $1, l.mb, l.answer, 'present'
       from panel.mail_domains d,
         (values ('info', 2048, null),
           ('sales', 1024, jsonb_build_object(
             'subject', 'Away', 'message', 'I am back on Monday.', 'days', 3))
         ) l (name, mb, answer)
       where d.domain in ('alice.example', 'rob.example')`,
      [`$2b$10$${'a'.repeat(53)}`],
    )
    await pool.query(`
      insert into panel.mail_domain_records (domain_id, record, result, found, checked_at)
      select d.id, r.name, case d.state when 'active' then r.result else 'missing' end,
        case d.state when 'active' then r.found else '{}' end, now() - interval '3 hours'
      from panel.mail_domains d,
        (values ('mx', 'ok', '{}'::text[]), ('spf', 'wrong', array['v=spf1 a ~all']),
          ('dkim', 'ok', '{}'), ('dmarc', 'missing', '{}'), ('autoconfig', 'missing', '{}'),
          ('autodiscover', 'unknown', '{}')) r (name, result, found)`)
    await pool.query(`
      insert into panel.mail_aliases (account_id, domain_id, local_part, targets, desired)
      select d.account_id, d.id, l.name, l.targets, 'present'
      from panel.mail_domains d,
        (values ('contact', array['info@alice.example', 'alice@example.com']),
          ('sales', array['sales@alice.example', 'team@example.com'])) l (name, targets)
      where d.domain in ('alice.example', 'rob.example')`)
  },
  asking: {
    async 'mail/alias/rm'(shown) {
      await shown('mail', 'enable', '--host', 'mail.example.net')
      await shown('mail', 'domain', 'add', 'alice', domain)
      await shown('mail', 'alias', 'set', 'alice', alias, 'a@elsewhere.example')
      return ['mail', 'alias', 'rm', 'alice', alias]
    },
    async 'mail/mailbox/rm'(shown) {
      await shown('mail', 'mailbox', 'add', 'alice', box)
      return ['mail', 'mailbox', 'rm', 'alice', box]
    },
    'mail/queue/delete': async () => ['mail', 'queue', 'delete', '4bQx0z1Kd2z9tY'],
    'mail/domain/rm': async () => ['mail', 'domain', 'rm', 'alice', domain],
  },
  commands: account => ({
    async 'mail domain add'(say) {
      await say.refused(/no mail service/, [account, domain])
      await turnOn(say.machine)
      await say(account, domain)
    },
    'mail domain ls': say => say(account),
    'mail domain show': say => say(account, domain),
    'mail domain check': say => say(account, domain),
    'mail domain set': say => say(account, domain, '--catch-all', 'none'),
    'mail mailbox add': say => say.given(`${password}\n`, account, box, '--password-stdin'),
    'mail mailbox ls': say => say(account),
    'mail mailbox set': say => say(account, box, '--quota-mb', '50'),
    'mail mailbox password': say => say(account, box),
    'mail alias set': say => say(account, alias, box, 'a@elsewhere.example'),
    'mail alias ls': say => say(account),
    'mail alias rm': say => say(account, alias, '--yes'),
    'mail mailbox rm': say => say(account, box, '--yes'),
    async 'mail queue'(say) {
      // Where the mail server was only turned off, what waits is still listed.
      const { code } = await say.machine.run(['test', '-e', ownedFile])
      if (code === 0) await say()
      else await say.refused(/no mail service/)
    },
    'mail queue retry': say => say('4bQx0z1Kd2z9tY'),
    'mail queue delete': say => say('4bQx0z1Kd2z9tY', '--yes'),
    async 'mail domain rm'(say) {
      await say(account, domain, '--yes')
      await turnOff(say.machine)
    },
  }),
  async showApi(machine, _, account) {
    const words = ['--owner', 'admin', '--permission', 'Provisioning and hosting', '--json']
    const made = JSON.parse(await machine.must('panel', 'token', 'create', ...words))
    const client = clientOf(machine, (made as { token: string }).token)
    const call = async (method: string, path: string, body: object = {}) => {
      const answer = await client(method, `/accounts/${account}/${path}`, body)
      if (answer.status > 201) throw new Error(JSON.stringify(answer.body))
    }
    await turnOn(machine)
    await call('POST', 'mail-domains', { domain })
    await call('POST', `mail-domains/${domain}/check`)
    await call('PATCH', `mail-domains/${domain}`, { catch_all: '' })
    await call('POST', 'mailboxes', { mailbox: box, password })
    await call('PATCH', `mailboxes/${box}`, { quota_mb: 50 })
    await call('PUT', `mailboxes/${box}/password`, { password })
    await call('PUT', `mail-aliases/${alias}`, { targets: [box] })
    await call('DELETE', `mail-aliases/${alias}`)
    await call('DELETE', `mailboxes/${box}`)
    await call('DELETE', `mail-domains/${domain}`)
    await turnOff(machine)
  },
}
