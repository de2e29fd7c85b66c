-- Whether this server gets certificates for its websites at all; the worker says so at its start.
alter table panel.server add column issues_certificates boolean not null default false;

-- The server's one account at a certificate authority, whatever authority that is.
create table panel.acme_account (
  is_single   boolean primary key default true check (is_single),
  -- The account's private key, encrypted under the server's key.
  key         bytea   not null,
  -- Of the public key (RFC 7638): what websites answer the authority with.
  thumbprint  text    not null check (thumbprint ~ '^[A-Za-z0-9_-]{43}$')
);

-- The certificate of a website: what is served, and who has to do what next for the coming one.
-- The courier looks where the names point and orders; root makes key and request, and installs.
-- Keys are nowhere here: they never leave root's folder.
create table panel.certificates (
  site_id          bigint primary key references panel.sites on delete cascade,
  step             text        not null default 'order'
                   check (step in ('order', 'request', 'install')),
  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch            integer     not null default 0,
  -- Null where nobody looks again by themselves: the name has pointed elsewhere for too long.
  due_at           timestamptz default now(),
  queue_job_id     bigint,
  -- Looks and orders in a row that came to nothing.
  tries            integer     not null default 0,

  -- The names that pointed here, and root's request for exactly these; null until it is made.
  names            text[]      not null default '{}',
  request          text,
  -- When an authority was last asked for it.
  ordered_at       timestamptz,
  -- What the authority has issued, until it is installed.
  chain            text,

  -- What is served; null where nothing is.
  installed_names  text[],
  issuer           text,
  expires_at       timestamptz,
  renew_at         timestamptz,
  -- Why there is no new one, in words for the administrator.
  error            text,

  check ((step = 'install') = (chain is not null)),
  check (step <> 'install' or request is not null),
  check (num_nulls(installed_names, issuer, expires_at, renew_at) in (0, 4))
);

create index certificates_due on panel.certificates (due_at);
create index certificates_ordered on panel.certificates (ordered_at);

grant select, insert on panel.acme_account to panel_courier;
-- Root has no use for the account's key.
grant select (thumbprint) on panel.acme_account to panel_worker;
grant select on panel.certificates to panel_worker;
