-- The panel's own mail, which the courier sends through the server's relay.

-- Requests for a link to choose a new password, until the courier has answered them.
create table panel.password_requests (
  id            bigint      generated always as identity primary key,
  -- The typed text in lower case: a name or an e-mail address, if it is either at all.
  entered       text        not null check (char_length(entered) <= 254),
  requested_at  timestamptz not null default now()
);

create index password_requests_old on panel.password_requests (requested_at);

-- Links to choose a new password, each valid once and for 30 minutes.
create table panel.password_links (
  -- SHA-256 of the link's secret; the secret itself is kept nowhere.
  hash         bytea       primary key check (octet_length(hash) = 32),
  operator_id  bigint      references panel.operators on delete cascade,
  account_id   bigint      references panel.accounts on delete cascade,
  -- The credential epoch of its operator or account: a later one voids the link.
  epoch        integer     not null,
  created_at   timestamptz not null default now(),
  used_at      timestamptz,

  check (num_nonnulls(operator_id, account_id) = 1)
);

create index password_links_old on panel.password_links (created_at);
create index password_links_operator on panel.password_links (operator_id)
  where operator_id is not null;
create index password_links_account on panel.password_links (account_id)
  where account_id is not null;

-- The outcome of the last mails: one row.
create table panel.own_mail_state (
  is_only    boolean      primary key default true check (is_only),
  -- Null if none was sent yet.
  sent_at    timestamptz,
  -- Null if none has failed since.
  failed_at  timestamptz,
  error      text,

  check ((failed_at is null) = (error is null))
);

insert into panel.own_mail_state default values;

grant select on panel.own_mail_state to panel_api, panel_worker, panel_courier;
grant update (sent_at, failed_at, error) on panel.own_mail_state to panel_courier;
