-- Websites of accounts.
create table panel.sites (
  id              bigint generated always as identity primary key,
  account_id      bigint      not null references panel.accounts on delete cascade,
  domain          text        not null
                  check (domain = lower(domain) and char_length(domain) <= 253),
  ssl             text        not null default 'none'
                  check (ssl in ('none', 'pending', 'issued', 'failed')),
  -- In the form of src/model/sites/site-settings.ts, with password hashes.
  settings        jsonb       not null default '{}' check (jsonb_typeof(settings) = 'object'),
  -- `reserved` is a name that waits for its operation: the machine has never seen it.
  desired          text        not null default 'present'
                  check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by        uuid,
  created_at      timestamptz not null default now()
);

create index sites_account on panel.sites (account_id);
create index sites_added on panel.sites (added_by) where added_by is not null;

-- Further names of websites.
create table panel.site_aliases (
  id          bigint generated always as identity primary key,
  site_id     bigint      not null references panel.sites on delete cascade,
  account_id  bigint      not null references panel.accounts on delete cascade,
  name        text        not null unique
              check (name = lower(name) and char_length(name) <= 249),
  -- As of a website.
  desired     text        not null default 'reserved'
              check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by    uuid,
  -- Whether the courier has checked where it points since it was added.
  is_checked  boolean     not null default false
);

create index site_aliases_site on panel.site_aliases (site_id);
create index site_aliases_account on panel.site_aliases (account_id);
create index site_aliases_added on panel.site_aliases (added_by) where added_by is not null;

-- Every name that nginx serves, so that `x` and `www.x` cannot belong to two accounts.
create table panel.site_names (
  name      text   primary key,
  site_id   bigint not null references panel.sites on delete cascade,
  -- Null for the names of the domain itself.
  alias_id  bigint references panel.site_aliases on delete cascade
);

create index site_names_site on panel.site_names (site_id);
create index site_names_alias on panel.site_names (alias_id) where alias_id is not null;
-- Reversed, all names below a domain are adjacent.
create index site_names_reversed on panel.site_names ((reverse(name) collate "C"));

-- Rules in .htaccess files of websites that are not applied, as the worker last read them.
create table panel.site_rules (
  site_id  bigint      primary key references panel.sites on delete cascade,
  -- In the form of src/model/sites/site-rules.ts.
  found    jsonb       not null,
  read_at  timestamptz not null
);

-- The last lines of a website's logs, and statistics of its visitors: read by the worker when a
-- page requests them, and kept for an hour.
create table panel.site_readings (
  site_id   bigint      not null references panel.sites on delete cascade,
  kind      text        not null check (kind in ('log', 'statistics')),
  asked_at  timestamptz not null,
  -- Null until they were read.
  read_at   timestamptz,
  -- In the form of src/model/sites/site-readings.ts.
  content   jsonb,

  primary key (site_id, kind),
  check (num_nulls(read_at, content) in (0, 2))
);

create index site_readings_asked on panel.site_readings (asked_at);

-- Domains below which different accounts may each take a name, such as those for free subdomains:
-- an administrator lists them.
create table panel.shared_parents (
  domain      text        primary key
              check (domain = lower(domain) and char_length(domain) <= 249),
  created_at  timestamptz not null default now()
);

grant select on panel.sites to panel_worker;
grant select on panel.site_readings to panel_api, panel_worker;
grant select (id, account_id, domain, ssl, desired, added_by, created_at) on panel.sites
  to panel_api;
grant select on panel.site_aliases to panel_api, panel_worker;
grant select on panel.site_names to panel_api, panel_worker;
grant select on panel.shared_parents to panel_api;
