-- Single sign-on links: valid once and for 60 seconds (specification, Limits).
create table panel.sign_ons (
  -- SHA-256 of the link's token; the token itself is kept nowhere.
  hash        bytea       primary key check (octet_length(hash) = 32),
  account_id  bigint      not null references panel.accounts on delete cascade,
  expires_at  timestamptz not null,
  used_at     timestamptz
);

create index sign_ons_expired on panel.sign_ons (expires_at);

-- What a link opens: a session of that account and nothing else.
create table panel.account_sessions (
  hash        bytea       primary key check (octet_length(hash) = 32),
  account_id  bigint      not null references panel.accounts on delete cascade,
  created_at  timestamptz not null default now(),
  expires_at  timestamptz not null
);

create index account_sessions_expired on panel.account_sessions (expires_at);

grant select, insert, update, delete on panel.sign_ons, panel.account_sessions to panel_api;
