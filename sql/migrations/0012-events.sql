-- Events, written in the transaction of the change that they report.
create table panel.events (
  id            bigint generated always as identity primary key,
  name          text        not null,
  -- Its number on this server, in the order of the changes (number_events.sql). Null until the
  -- first reader of a committed event has it numbered; 0 for test events, which are not part of the
  -- order.
  sequence      bigint      check (sequence >= 0),
  -- Not a reference: an event outlives its account.
  account_id    bigint,
  -- The seller of its account when it happened; null without an account.
  seller_id     bigint,
  operation_id  uuid,
  -- The bytes that are signed, sent and given to hook scripts, generated once.
  body          bytea       not null,
  data          jsonb       not null,
  -- Whether it only tests a webhook: nothing has happened, and no hook script runs.
  is_test       boolean     not null default false,
  created_at    timestamptz not null default now(),

  constraint events_check check (panel_checks.is_event(name))
);

create index events_created on panel.events (created_at);
-- By the name in an event: its account may be gone, and events of root may have none.
create index events_username on panel.events ((data ->> 'username'));
-- Partial, so that numbering a row takes no lock that conflicts with references to it.
create unique index events_sequence on panel.events (sequence) where sequence > 0;
create index events_seller on panel.events (seller_id, sequence) where sequence > 0;
create index events_unnumbered on panel.events (id) where sequence is null;

-- The progress of the numbers, apart from the events, which are deleted after a while.
create table panel.event_counters (
  -- `numbered` is the last number assigned, `purged` the highest that was deleted. Separate rows,
  -- because a purge that locks one must not delay the other.
  name        text        primary key check (name in ('numbered', 'purged')),
  value       bigint      not null check (value >= 0),
  changed_at  timestamptz not null default now()
);

insert into panel.event_counters (name, value) values ('numbered', 0), ('purged', 0);

-- The addresses to which events are sent.
create table panel.webhooks (
  id               uuid        primary key default gen_random_uuid(),
  url              text        not null check (char_length(url) <= 2048),
  -- Encrypted under the server's key, never in clear.
  secret           bytea       not null check (octet_length(secret) between 30 and 2048),
  -- The previous secret, for the overlap that an administrator has chosen: requests carry the
  -- signatures of both. Encrypted alike, and erased when the overlap ends.
  previous_secret  bytea       check (octet_length(previous_secret) between 30 and 2048),
  previous_until   timestamptz,
  -- Null means every event.
  events           text[]      check (cardinality(events) > 0),
  created_at       timestamptz not null default now(),
  -- Nothing is sent any more; the row is deleted with its last delivery.
  removed_at       timestamptz,

  constraint webhooks_previous_check
    check ((previous_secret is null) = (previous_until is null))
);

-- One attempt series to send one event to one webhook. Its id is X-Panel-Delivery. The row says
-- what is due; a job in the courier's queue only wakes a courier for it.
create table panel.deliveries (
  id             uuid        primary key default gen_random_uuid(),
  -- Not a reference: checking one locks the webhook's row, and every change that has an event would
  -- wait for it (emit.sql).
  webhook_id     uuid        not null,
  event_id       bigint      not null references panel.events on delete cascade,
  -- The delivery that an administrator repeated; null for the first one of an event.
  redelivery_of  uuid,
  -- Cancelled if the webhook was removed before its turn came.
  state          text        not null default 'due',
  -- Finished attempts; the first retry follows after 5 s, the second after 30 s.
  attempts          integer     not null default 0,
  max_attempts      integer     not null default 3,
  -- Raised at every enqueue and every claim; an attempt with another epoch is not recorded.
  epoch          integer     not null default 1,
  -- The job that handles it, unless it is blocked: the end of an attempt to the same webhook takes
  -- the next blocked one.
  queue_job_id   bigint,
  is_blocked      boolean     not null default false,
  due_at         timestamptz not null default now(),
  created_at     timestamptz not null default now(),
  finished_at    timestamptz,

  constraint deliveries_check check (panel_checks.is_delivery(
    state, attempts, max_attempts, is_blocked, queue_job_id, finished_at))
);

-- The blocked ones of a webhook in the order of their events, and next to them those with a job.
create index deliveries_due on panel.deliveries (webhook_id, is_blocked, event_id)
  where state = 'due';
create index deliveries_retries on panel.deliveries (due_at) where state = 'due' and attempts > 0;
create index deliveries_webhook on panel.deliveries (webhook_id, created_at);
create index deliveries_event on panel.deliveries (event_id);
create index deliveries_ended on panel.deliveries (finished_at) where state <> 'due';
create index deliveries_latest on panel.deliveries (created_at) where state <> 'due';
-- Finds deliveries that did not succeed without reading all others.
create index deliveries_stopped on panel.deliveries (webhook_id, created_at)
  where state not in ('due', 'delivered');

-- Each finished attempt. One whose courier was killed in flight is made again and leaves no row.
create table panel.attempts (
  delivery_id  uuid        not null references panel.deliveries on delete cascade,
  number       integer     not null check (number between 1 and 3),
  started_at   timestamptz not null,
  duration_ms  integer     not null check (duration_ms >= 0),
  -- The status of the response; null without one.
  status       integer     check (status between 100 and 999),
  -- Why it failed, in words; null if it succeeded.
  error        text        check (char_length(error) <= 1000),
  -- The beginning of the response's body.
  answer       bytea       check (octet_length(answer) <= 2048),

  primary key (delivery_id, number)
);

grant select on panel.events to panel_worker, panel_courier;
grant select on panel.webhooks to panel_courier;
-- The API may show webhooks; their secrets it can only write.
grant select (id, url, events, created_at, removed_at, previous_until),
  insert (id, url, secret, events), update (url, secret, events, removed_at)
  on panel.webhooks to panel_api;
grant select on panel.deliveries, panel.attempts to panel_api, panel_courier;
grant update (state, epoch, queue_job_id, is_blocked, finished_at) on panel.deliveries
  to panel_courier;
