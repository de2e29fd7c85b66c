-- What is sold: limits under a name, one catalogue for each seller.
create table panel.packages (
  id           bigint generated always as identity primary key,
  seller_id    bigint      not null references panel.sellers on delete restrict,
  name         text        not null
               check (name ~ '^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$'),
  max_sites    integer     not null default 1    check (max_sites between 0 and 10000),
  disk_mb      integer     not null default 1024 check (disk_mb between 1 and 10000000),
  memory_mb    integer     not null default 512  check (memory_mb between 32 and 1048576),
  cpu_percent  integer     not null default 100  check (cpu_percent between 1 and 6400),
  sftp         boolean     not null default true,
  created_at   timestamptz not null default now(),
  updated_at   timestamptz not null default now(),

  unique (seller_id, name)
);

-- Uids are never given again: one that came back would inherit what the last owner left.
create sequence panel.uids minvalue 20000 maxvalue 2000000000;

-- A hosting account.  `wanted`, the package and the password hash say what should be; `state`,
-- which answers show, says what is, and changes only together with the operation's answer.
create table panel.accounts (
  id              bigint generated always as identity primary key,
  seller_id       bigint      not null references panel.sellers on delete restrict,
  package_id      bigint      not null references panel.packages on delete restrict,
  uid             integer     not null unique default nextval('panel.uids'),
  username        text        not null check (username ~ '^[a-z][a-z0-9_-]{0,30}[a-z0-9]$'),
  email           text        not null check (char_length(email) <= 254),
  password_hash   text        not null,
  wanted          text        not null default 'active'
                  check (wanted in ('active', 'suspended', 'terminated')),
  state           text        not null default 'provisioning'
                  check (state in
                    ('provisioning', 'active', 'suspended', 'terminating', 'terminated')),
  -- Whether the machine is known to agree with the row.
  is_applied      boolean     not null default false,
  -- What the server cannot enforce for this account, as sentences.
  warnings        text[]      not null default '{}',
  suspend_reason  text        check (char_length(suspend_reason) <= 500),
  -- A reseller may not lift an administrator's suspension.
  suspended_by    text        check (suspended_by in ('administrator', 'reseller')),
  suspended_at    timestamptz,
  created_at      timestamptz not null default now(),
  terminated_at   timestamptz
);

-- A terminated account's name is free at once.
create unique index accounts_username on panel.accounts (username) where state <> 'terminated';
create index accounts_seller on panel.accounts (seller_id, username);
create index accounts_package on panel.accounts (package_id);

create table panel.sites (
  id          bigint generated always as identity primary key,
  account_id  bigint      not null references panel.accounts on delete cascade,
  domain      text        not null check (domain = lower(domain) and char_length(domain) <= 253),
  ssl         text        not null default 'none'
              check (ssl in ('none', 'pending', 'issued', 'failed')),
  created_at  timestamptz not null default now()
);

create index sites_account on panel.sites (account_id);
-- Read backwards, all names below a domain lie beside each other.
create index sites_domain on panel.sites ((reverse(domain) collate "C"));

-- Every name that nginx serves, so that `x` and `www.x` cannot belong to two accounts.
create table panel.site_names (
  name     text   primary key,
  site_id  bigint not null references panel.sites on delete cascade
);

create index site_names_site on panel.site_names (site_id);

grant select on panel.packages, panel.sites, panel.site_names to panel_api, panel_worker;
-- Never the password hash: the API writes it through create_account and cannot read it back.
grant select (id, seller_id, package_id, username, email, wanted, state, is_applied, warnings,
  suspend_reason, suspended_by, suspended_at, created_at) on panel.accounts to panel_api;
grant select on panel.accounts to panel_worker;
