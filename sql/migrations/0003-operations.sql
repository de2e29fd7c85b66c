-- A write request and the answer it was given.  The row is the idempotency record and the truth
-- about the work; a job in the queue only wakes the worker for it.
create table panel.operations (
  id            uuid        primary key default gen_random_uuid(),
  -- The order in which operations of one account take their turn.
  arrival       bigint      generated always as identity,
  token_id      bigint      not null references panel.tokens on delete restrict,
  key           text        not null check (key ~ '^[ -~]{1,255}$'),
  -- HMAC of method, path and body under the caller's token; bodies are not stored.
  fingerprint   bytea       not null check (octet_length(fingerprint) = 32),

  state         text        not null default 'claimed'
                check (state in
                  ('claimed', 'parked', 'queued', 'running', 'undoing', 'done', 'failed')),
  name          text
                check (name in ('account/create', 'account/suspend', 'account/unsuspend')),
  -- Null where none is concerned, or where the account is gone (a create that was undone).
  account_id    bigint      references panel.accounts on delete set null,
  -- For messages and lists: the name outlives the account.
  username      text,
  -- Columns of the account: what this operation asks for, and what it found (for undo).
  wants         jsonb       not null default '{}',
  found         jsonb,

  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch         integer     not null default 0,
  starts        integer     not null default 0,
  -- The sweeper leaves an operation alone until then.
  due_at        timestamptz not null default now(),
  queue_job_id  bigint,

  status        integer     check (status between 200 and 499),
  body          bytea,
  location      text,
  -- Why it failed, in words for the administrator.
  error         text,
  created_at    timestamptz not null default now(),
  started_at    timestamptz,
  finished_at   timestamptz,

  unique (token_id, key),
  -- Exactly the finished operations have an answer, and a 5xx is never one.
  check ((state = 'done') = (status is not null)),
  check ((status is null) = (body is null)),
  check ((state in ('done', 'failed')) = (finished_at is not null))
);

-- The account row is the lane: one operation of an account is under way, the others are parked.
create unique index operations_lane on panel.operations (account_id)
  where state in ('queued', 'running', 'undoing');
create index operations_parked on panel.operations (account_id, arrival) where state = 'parked';
create index operations_unfinished on panel.operations (due_at)
  where state in ('parked', 'queued', 'running', 'undoing');
create index operations_finished on panel.operations (created_at) where state in ('done', 'failed');

grant select (id, arrival, token_id, key, fingerprint, state, name, account_id, username, epoch,
  status, body, location, created_at, started_at, finished_at) on panel.operations to panel_api;
grant select on panel.operations to panel_worker;
