-- Databases that are open in Adminer, each for one session of its customer.  While there is a row
-- the worker lets the database's internal user log in, by this hash.
create table panel.adminer_sessions (
  database_id  bigint      primary key references panel.databases on delete cascade,
  -- The operation that opens it: if it is undone the row goes.
  opened_by    uuid        not null,
  -- The panel's own session that has asked for it, with which it ends.
  session_id   bigint      not null,
  -- SHA-256 of what leads there once, and of what the browser keeps then.
  ticket_hash  bytea       not null unique check (octet_length(ticket_hash) = 32),
  cookie_hash  bytea       not null unique check (octet_length(cookie_hash) = 32),
  -- What mysql_native_password compares with: never the password.
  hash         text        not null check (hash ~ '^\*[0-9A-F]{40}$'),
  -- When the ticket was used up.
  used_at      timestamptz,
  last_seen_at timestamptz not null default now()
);

-- Why no database can be opened in Adminer; null where it can.
alter table panel.server
  add column adminer_warning text default 'There is no Adminer on this server';
