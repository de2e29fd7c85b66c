-- What has happened, written in the transaction that made it so (events.md, One transaction).
create table panel.events (
  id            bigint generated always as identity primary key,
  name          text        not null check (name in (
    'account.created', 'account.deleted', 'account.suspended', 'account.unsuspended',
    'site.created', 'site.deleted', 'ssl.issued', 'database.created', 'database.deleted',
    'mail.domain_created', 'mail.mailbox_created', 'backup.completed')),
  -- Not a reference: an event outlives its account.
  account_id    bigint,
  operation_id  uuid,
  -- The bytes that are signed, sent and given to hook scripts, made once.
  body          bytea       not null,
  data          jsonb       not null,
  created_at    timestamptz not null default now()
);

create index events_account on panel.events (account_id, id);

-- Where an administrator wants events sent.
create table panel.webhooks (
  id          uuid        primary key default gen_random_uuid(),
  url         text        not null check (char_length(url) <= 2048),
  -- Encrypted under the server's key, never in clear.
  secret      bytea       not null,
  -- Null means every event.
  events      text[]      check (cardinality(events) > 0),
  created_at  timestamptz not null default now(),
  removed_at  timestamptz
);

-- One attempt series to send one event to one webhook.  Its id is X-Panel-Delivery.
create table panel.deliveries (
  id            uuid        primary key default gen_random_uuid(),
  webhook_id    uuid        not null references panel.webhooks on delete cascade,
  event_id      bigint      not null references panel.events on delete cascade,
  state         text        not null default 'due'
                check (state in ('due', 'delivered', 'failed')),
  -- Tries that have ended; the first retry follows after 5 s, the second after 30 s.
  tries         integer     not null default 0 check (tries between 0 and 3),
  due_at        timestamptz not null default now(),
  created_at    timestamptz not null default now(),
  finished_at   timestamptz,

  check ((state = 'due') = (finished_at is null))
);

create index deliveries_due on panel.deliveries (due_at) where state = 'due';
create index deliveries_webhook on panel.deliveries (webhook_id, created_at);

grant select on panel.events to panel_worker, panel_courier;
grant select on panel.webhooks to panel_courier;
-- The API may show webhooks; their secrets it can only write.
grant select (id, url, events, created_at, removed_at) on panel.webhooks to panel_api;
grant select on panel.deliveries to panel_api, panel_courier;
