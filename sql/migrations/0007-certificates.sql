-- The server's one account at a certificate authority, whatever authority that is.
create table panel.acme_account (
  is_single   boolean primary key default true check (is_single),
  -- The account's private key, encrypted under the server's key.
  key         bytea   not null,
  -- The thumbprint of the public key (RFC 7638), with which websites answer the authority.
  thumbprint  text    not null check (thumbprint ~ '^[A-Za-z0-9_-]{43}$')
);

-- The certificate of a website: the served one, and the step of the next one. The courier checks
-- where the names point and orders; root generates key and request, and installs. Keys are in no
-- row: they never leave root's folder.
create table panel.certificates (
  site_id          bigint primary key references panel.sites on delete cascade,
  step             text        not null default 'order'
                   check (step in ('order', 'request', 'install')),
  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch            integer     not null default 0,
  -- Null if no retry is planned: the name has pointed elsewhere for too long.
  due_at           timestamptz default now(),
  queue_job_id     bigint,
  -- Failed checks and orders in a row.
  attempts            integer     not null default 0,

  -- The names that pointed here, and root's request for exactly these; null until it is made.
  names            text[]      not null default '{}',
  request          text,
  -- When an authority was last asked for it.
  ordered_at       timestamptz,
  -- The issued certificate, until it is installed.
  chain            text,

  -- The served certificate; null without one.
  installed_names  text[],
  issuer           text,
  expires_at       timestamptz,
  renew_at         timestamptz,
  -- The id by which the authority is asked when to renew (RFC 9773); null if there is none: the
  -- certificate does not name its issuer's key.
  renewal_id       text
                   check (renewal_id ~ '^[A-Za-z0-9_-]{1,100}\.[A-Za-z0-9_-]{1,100}$'),
  -- Why there is no new one, in words for the administrator.
  error            text,
  -- The names that the next order leaves out, each with the reason: it does not point here, or the
  -- authority has refused it.
  missing          jsonb       not null default '{}' check (jsonb_typeof(missing) = 'object'),
  -- The names among them that the authority has refused.
  refused          text[]      not null default '{}',

  check ((step = 'install') = (chain is not null)),
  check (step <> 'install' or request is not null),
  check (num_nulls(installed_names, issuer, expires_at, renew_at) in (0, 4))
);

create index certificates_due on panel.certificates (due_at);
create index certificates_ordered on panel.certificates (ordered_at);

-- The certificates of the panel itself, for the server's name, and of its mail server: root's
-- request, and the courier's progress. A row exists if nginx answers for the panel, or if there is
-- a mail server.
create table panel.own_certificate (
  purpose   text        primary key check (purpose in ('panel', 'mail')),
  domain    text        not null,
  -- Its key never leaves root's folder.
  request   text        not null,
  -- Null while the served one is good.
  due_at    timestamptz default now(),
  attempts     integer     not null default 0,
  -- The issued certificate, until it is installed.
  chain     text,
  -- Why there is none, in words for the administrator.
  error     text
);

grant select, insert on panel.acme_account to panel_courier;
-- Root does not need the account's key.
grant select (thumbprint) on panel.acme_account to panel_worker;
grant select on panel.certificates to panel_worker;
grant select (site_id, renewal_id) on panel.certificates to panel_courier;
grant select, insert, update on panel.own_certificate to panel_worker;
grant select, update (due_at, attempts, chain, error) on panel.own_certificate to panel_courier;
