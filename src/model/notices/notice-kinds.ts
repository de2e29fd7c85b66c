// The kinds of notices by e-mail. A kind is one entry: whom it concerns and whether they get it
// unless they choose otherwise, the statement that finds its causes, and its words.

export type Role = 'administrator' | 'reseller' | 'customer'

/** The values of a cause's sentence, as its statement selects them. */
export type Content = Record<string, string | number | null>

export type NoticeKind = {
  label: string
  /** Each role that it concerns, and whether a person of it gets the notice by default. */
  defaults: Partial<Record<Role, boolean>>
  /**
   * Selects the causes that exist now: `key`, `account_id` (null for the whole server) and
   * `content`. Left out if they are reported at the moment when they occur.
   */
  causes?: string
  /** Returns the subject of a mail with this notice alone. */
  subject: (content: Content) => string
  /** Returns the sentence of the notice, and the path of a page about it. */
  words: (content: Content, role: Role) => { sentence: string; path?: string }
}

const pathOf = (role: Role, username: string | number | null | undefined, own: string): string =>
  role === 'customer' ? own : `/accounts/${encodeURIComponent(String(username))}`

// The limit of the disk is that of the package; 0.8 of it is worth a notice. At the limit the first
// cause lasts, so that a few bytes less are no new one.
const quotaCauses = `
  select 'account:' || u.id || ':' || l.level, u.id, jsonb_build_object(
    'username', u.username, 'percent', u.percent, 'level', l.level)
  from (
    select a.id, a.username, floor((d.bytes + d.database_bytes)
      / (nullif(p.disk_mb, 0) * 10485.76::float8))::integer as percent
    from accounts a
    join packages p on p.id = a.package_id
    join disk_usage d on d.account_id = a.id
    where a.state = 'active') u
  cross join (values (80), (100)) l (level)
  where u.percent >= l.level and (l.level = 100 or u.percent < 100 or exists (
    select from notice_causes c
    where c.kind = 'quota' and c.key = 'account:' || u.id || ':80' and c.ended_at is null))`

// Renewal begins a month before the end. A first certificate is in trouble after some days of
// attempts: until then its name may just not point here yet.
const certificateCauses = `
  select 'site:' || s.id, a.id, jsonb_build_object(
    'username', a.username, 'domain', s.domain,
    'expires', to_char(c.expires_at at time zone 'UTC', 'YYYY-MM-DD'))
  from certificates c
  join sites s on s.id = c.site_id
  join accounts a on a.id = s.account_id
  where a.state = 'active' and (
    c.expires_at < now() + interval '14 days'
    or c.expires_at is null and c.error is not null and c.attempts >= 10)`

// A day elsewhere may be a slip; after 7 days the domain gets no mail.
const mailDomainCauses = `
  select case when d.state = 'active' then 'leaving:' else 'left:' end || d.id, a.id,
    jsonb_build_object('username', a.username, 'domain', d.domain,
      'what', case when d.state = 'active' then 'leaving' else 'left' end,
      'until', to_char(d.missing_since at time zone 'UTC' + interval '7 days', 'YYYY-MM-DD'))
  from mail_domains d
  join accounts a on a.id = d.account_id
  where a.state = 'active' and d.desired = 'present' and (
    d.state = 'active' and d.missing_since < now() - interval '1 day' or d.left_at is not null)`

function mailDomainWords({ username, domain, what, until }: Content): string {
  const records = `The DNS records of ${domain} (${username})`
  switch (what) {
    case 'leaving':
      return `${records} lead its mail elsewhere. From ${until} on this server takes none for it.`
    case 'left':
      return (
        `${records} have led its mail elsewhere for 7 days. This server takes none for it until ` +
        'they lead here again.'
      )
    default:
      return (
        `Another account has proved that ${domain} is its own: ${username} no longer has this ` +
        'mail domain. Mail in its mailboxes is now among the files of the account.'
      )
  }
}

const webhookCauses = `
  select 'webhook:' || w.id, null::bigint, jsonb_build_object(
    'id', w.id,
    -- Without its path, which may contain a secret.
    'host', substring(w.url from '^https?://(?:[^/@]*@)?([^/?#]*)'))
  from webhooks w
  where w.removed_at is null and name_webhook_trouble(w.id) is not null`

const backupCauses = `
  select 'backup', null::bigint, jsonb_build_object(
    'at', to_char(max(f.failed_at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI'))
  from failed_backups f
  where f.failed_at > coalesce((select max(b.started_at) from backups b), '-infinity')
  having count(*) > 0`

// The last backup of the account that has ended.
const failedRunCauses = `
  select 'account:' || a.id, a.id, jsonb_build_object('username', a.username)
  from accounts a
  cross join lateral (
    select b.state from account_backups b
    where b.account_id = a.id and b.state in ('done', 'failed')
    order by b.id desc
    limit 1) l
  where a.state = 'active' and l.state = 'failed'`

const updateCauses = `
  select 'release:' || p_newer, null::bigint, jsonb_build_object('version', p_newer)
  where p_newer is not null`

export const noticeKinds = {
  quota: {
    label: 'Disk space is 80% or completely used',
    defaults: { customer: true, reseller: false, administrator: false },
    causes: quotaCauses,
    subject: ({ username, percent }) => `${username} uses ${percent}% of its disk space`,
    words: ({ username, percent, level }, role) => ({
      sentence:
        `${username} uses ${percent}% of the disk space of its package. ` +
        (level === 100
          ? 'Websites can fail now, because nothing more can be saved.'
          : 'At 100% nothing more can be saved.'),
      path: pathOf(role, username, '/account/usage'),
    }),
  },
  certificate: {
    label: 'A certificate cannot be issued or renewed',
    defaults: { customer: true, reseller: false, administrator: true },
    causes: certificateCauses,
    subject: ({ domain }) => `The certificate of ${domain} needs attention`,
    words: ({ username, domain, expires }, role) => ({
      sentence:
        expires === null
          ? `${domain} (${username}) has no certificate yet: attempts to get one keep failing. ` +
            'Often the domain does not point to this server.'
          : `The certificate of ${domain} (${username}) expires on ${expires} and has not been ` +
            'renewed. Often the domain does not point to this server any more.',
      path: pathOf(role, username, '/account/sites'),
    }),
  },
  'mail-domain': {
    label: 'A mail domain leads elsewhere',
    defaults: { customer: true, reseller: false, administrator: false },
    causes: mailDomainCauses,
    subject: ({ domain }) => `The mail domain ${domain} leads elsewhere`,
    words: (content, role) => ({
      sentence: mailDomainWords(content),
      path: pathOf(role, content['username'], '/account'),
    }),
  },
  webhook: {
    label: 'A webhook fails',
    defaults: { administrator: true },
    causes: webhookCauses,
    subject: ({ host }) => `The webhook to ${host} fails`,
    words: ({ id, host }) => ({
      sentence: `Every recent delivery to ${host} has failed. Events are lost after two retries.`,
      path: `/hooks/webhooks/${id}`,
    }),
  },
  backup: {
    label: 'A backup of the server fails',
    defaults: { administrator: true },
    causes: backupCauses,
    subject: () => 'The backup of the server failed',
    words: ({ at }) => ({
      sentence: `panel backup create failed at ${at} UTC, and has not succeeded since.`,
      path: '/server',
    }),
  },
  'account-backup': {
    label: 'A backup of an account fails',
    defaults: { customer: false, reseller: true, administrator: true },
    causes: failedRunCauses,
    subject: ({ username }) => `The backup of ${username} failed`,
    words: ({ username }, role) => ({
      sentence: `The last backup of ${username} failed, so its latest changes are not backed up.`,
      path: pathOf(role, username, '/account'),
    }),
  },
  'sign-in': {
    label: 'Someone signs in as you from a new device',
    defaults: { customer: true, reseller: true, administrator: true },
    subject: ({ name }) => `New sign-in as ${name}`,
    words: ({ name, at, address, browser }, role) => ({
      sentence:
        `${name} signed in at ${at} UTC from ${address ?? 'an unknown address'} with ` +
        `${browser ?? 'an unknown browser'}. If that was not you, change your password ` +
        'and end that session.',
      path: role === 'customer' ? '/account/security' : '/my-account',
    }),
  },
  update: {
    label: 'An update of the panel is available',
    defaults: { administrator: true },
    causes: updateCauses,
    subject: ({ version }) => `Version ${version} of the panel is available`,
    words: ({ version }) => ({
      sentence: `Version ${version} is available. panel update installs it.`,
      path: '/server',
    }),
  },
} satisfies Record<string, NoticeKind>

export type NoticeKindName = keyof typeof noticeKinds

const entries = Object.entries<NoticeKind>(noticeKinds)

/** Returns the kinds that concern a role, with what a person of it gets by default. */
export const kindsFor = (role: Role) =>
  entries.flatMap(([name, { label, defaults }]) => {
    const isDefault = defaults[role]
    return isDefault === undefined ? [] : [{ name, label, isDefault }]
  })
