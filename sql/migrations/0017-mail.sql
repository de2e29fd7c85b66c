-- Mail domains of accounts, with their mailboxes and aliases.
create table panel.mail_domains (
  id              bigint      generated always as identity primary key,
  account_id      bigint      not null references panel.accounts on delete cascade,
  domain          text        not null unique
                              check (domain = lower(domain) and char_length(domain) <= 249),
  -- `pending` until its DNS records show that it is the account's: only an active one gets mail.
  state           text        not null default 'pending' check (state in ('pending', 'active')),
  -- The secret in the TXT record that proves the domain.
  proof           text        not null default encode(uuid_send(gen_random_uuid()), 'hex'),
  -- When the courier first found it here, and when it last checked.
  verified_at     timestamptz,
  checked_at      timestamptz,
  -- Since when the courier finds it elsewhere.
  missing_since   timestamptz,
  -- When it was taken out because it was found elsewhere for too long.
  left_at         timestamptz,
  -- When the courier checks it next, and how often it has begun to.
  check_at        timestamptz not null default now(),
  check_epoch     integer     not null default 0,
  -- The address that gets the mail of all unknown ones; null for none.
  catch_all       text        check (char_length(catch_all) <= 254),
  dkim_selector   text        not null default 'p' || to_char(now() at time zone 'UTC', 'YYYYMM')
                              check (dkim_selector ~ '^p[0-9]{6}$'),
  -- In base64 (SubjectPublicKeyInfo in DER); null until the worker has made the key.
  dkim_public_key text        check (dkim_public_key ~ '^[A-Za-z0-9+/]+={0,2}$'
                                and char_length(dkim_public_key) <= 2000),
  -- `reserved` is one that waits for its operation: the machine has never seen it.
  desired         text        not null default 'reserved'
                              check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by        uuid,
  created_at      timestamptz not null default now()
);

create index mail_domains_account on panel.mail_domains (account_id);
create index mail_domains_checks on panel.mail_domains (check_at);
create index mail_domains_added on panel.mail_domains (added_by) where added_by is not null;
-- Reversed, all names below a domain are adjacent.
create index mail_domains_reversed on panel.mail_domains ((reverse(domain) collate "C"));

-- The result of the last check of each DNS record that a mail domain should have.
create table panel.mail_domain_records (
  domain_id   bigint      not null references panel.mail_domains on delete cascade,
  record      text        not null check (record in
                            ('mx', 'spf', 'dkim', 'dmarc', 'autoconfig', 'autodiscover')),
  -- `unknown`: the name servers did not answer.
  result      text        not null check (result in ('ok', 'missing', 'wrong', 'unknown')),
  -- The records that are there instead, as text of others: only pages for people show it.
  found       text[]      not null check (cardinality(found) <= 10),
  checked_at  timestamptz not null,

  primary key (domain_id, record)
);

-- Accounts that want a mail domain of another one that has not proved it, each with a secret of its
-- own: the account that proves the domain gets it.
create table panel.mail_claims (
  account_id  bigint      not null references panel.accounts on delete cascade,
  domain      text        not null,
  proof       text        not null default encode(uuid_send(gen_random_uuid()), 'hex'),
  claimed_at  timestamptz not null default now(),

  primary key (account_id, domain)
);

create index mail_claims_domain on panel.mail_claims (domain);

create table panel.mailboxes (
  id              bigint      generated always as identity primary key,
  account_id      bigint      not null references panel.accounts on delete cascade,
  domain_id       bigint      not null references panel.mail_domains on delete cascade,
  -- The part before the @ (is_mail_local_part.sql).
  local_part      text        not null check (char_length(local_part) between 1 and 64),
  -- bcrypt, as Dovecot compares with: never the password.
  hash            text        not null check (hash ~ '^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$'),
  quota_mb        integer     not null default 1024 check (quota_mb between 1 and 10000000),
  -- The size of its messages, and when it was measured; null before.
  used_bytes      bigint      check (used_bytes >= 0),
  measured_at     timestamptz,
  -- In the form of src/model/mail/autoresponder.ts; null for none.
  autoresponder   jsonb       check (jsonb_typeof(autoresponder) = 'object'),
  -- In the form of src/model/mail/filters.ts.
  filters         jsonb       not null default '[]' check (jsonb_typeof(filters) = 'array'),
  desired         text        not null default 'reserved'
                              check (desired in ('reserved', 'present', 'absent')),
  added_by        uuid,
  created_at      timestamptz not null default now(),

  unique (domain_id, local_part)
);

create index mailboxes_account on panel.mailboxes (account_id);
create index mailboxes_added on panel.mailboxes (added_by) where added_by is not null;

create table panel.mail_aliases (
  id              bigint      generated always as identity primary key,
  account_id      bigint      not null references panel.accounts on delete cascade,
  domain_id       bigint      not null references panel.mail_domains on delete cascade,
  local_part      text        not null check (char_length(local_part) between 1 and 64),
  -- Addresses, here or elsewhere.
  targets         text[]      not null check (cardinality(targets) between 1 and 50),
  desired         text        not null default 'reserved'
                              check (desired in ('reserved', 'present', 'absent')),
  added_by        uuid,
  created_at      timestamptz not null default now(),

  unique (domain_id, local_part)
);

create index mail_aliases_account on panel.mail_aliases (account_id);
create index mail_aliases_added on panel.mail_aliases (added_by) where added_by is not null;

grant select on panel.mail_domains, panel.mail_domain_records, panel.mail_aliases
  to panel_api, panel_worker;
grant select on panel.mail_domains to panel_courier;
grant select (id, account_id, domain_id, local_part, quota_mb, used_bytes, measured_at,
    autoresponder, filters, desired, added_by, created_at)
  on panel.mailboxes to panel_api, panel_worker;
