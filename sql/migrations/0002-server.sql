-- The one server that this panel manages.
create table panel.server (
  id                      uuid        primary key default gen_random_uuid(),
  created_at              timestamptz not null default now(),
  -- Whether it gets certificates for its websites at all; recorded at the worker's start.
  issues_certificates     boolean     not null default false,
  -- Whether operators need a second factor to sign in.
  demands_second_factor   boolean     not null default false,
  -- Since when this is a restored server that sends no events and measures nothing, as the
  -- backed-up one may still be running; null in normal use.
  paused_since              timestamptz,
  -- Networks of proxies in front of websites, and names of ready lists of such networks.
  trusted_proxies         text[]      not null default '{}'
                          check (cardinality(trusted_proxies) <= 200),
  -- The version of PHP that accounts run by default; null for the newest installed one.
  php_version             text        check (php_version ~ '^[1-9][0-9]?\.[0-9]{1,2}$'),
  -- The relay for mail of PHP's mail(), with its sealed password; null for none.
  mail_relay              jsonb       check (jsonb_typeof(mail_relay) = 'object'),
  -- The mail server for mailboxes, with its name as `host`; null while accounts have no mailboxes.
  mail                    jsonb       check (jsonb_typeof(mail) = 'object'),
  -- The contact for people who cannot sign in: an e-mail address, a web address or a sentence.
  support_contact         text        check (char_length(support_contact) between 1 and 200),

  -- The services that all accounts share and that are not running, each by the part of an account
  -- that needs it, with the effect as a sentence: `{"sftp": "…"}`. The worker updates them.
  service_warnings        jsonb       not null
                          default '{"adminer": "There is no Adminer on this server"}'
);

create unique index server_single on panel.server ((true));

insert into panel.server default values;

-- The state of the server as root read it last, for pages, whose process may not read it itself:
-- one row.
create table panel.server_snapshot (
  is_only   boolean     primary key default true check (is_only),
  -- Null before the first reading.
  taken_at  timestamptz,
  -- The duration of the reading.
  took_ms   integer     check (took_ms >= 0),
  content   jsonb,
  -- When a page requested another one.
  asked_at  timestamptz,

  check (num_nulls(taken_at, took_ms, content) in (0, 3))
);

insert into panel.server_snapshot default values;

-- The newest available release, as the courier found it: one row.
create table panel.newest_release (
  is_only    boolean      primary key default true check (is_only),
  -- Null if none was found yet.
  version    text,
  notes      text,
  checked_at timestamptz,
  -- Why the last check found none.
  error      text
);

insert into panel.newest_release default values;

-- The start of each process of the panel. A row counts while the connection that it names holds the
-- process's lock (is_alive.sql). Unlogged: a crash of the server ends all connections.
create unlogged table panel.processes (
  backend_pid  integer     primary key,
  name         text        not null check (name in ('api', 'worker', 'courier')),
  started_at   timestamptz not null
);

-- Backups that were written and verified. The file may be gone by now; the row says only that it
-- was made.
create table panel.backups (
  id           uuid        primary key,
  path         text        not null,
  bytes        bigint      not null check (bytes >= 0),
  started_at   timestamptz not null,
  duration_ms  integer     not null check (duration_ms >= 0),
  release      text        not null,
  -- Parts that it lacks, as codes (src/model/server/backup-warnings.ts).
  warnings     jsonb       not null default '[]' check (jsonb_typeof(warnings) = 'array')
);

create index backups_started on panel.backups (started_at);

grant select on panel.server to panel_api, panel_worker, panel_courier;
grant select on panel.server_snapshot to panel_api;
grant select, update (taken_at, took_ms, content) on panel.server_snapshot to panel_worker;
grant select on panel.newest_release to panel_api, panel_courier;
grant update (version, notes, checked_at, error) on panel.newest_release to panel_courier;
