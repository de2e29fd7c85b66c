-- A write request and its answer. The row is the idempotency record and the truth about the work; a
-- job in the queue only wakes the worker for it. Internal work (a changed package is applied to its
-- accounts) is an operation too, without a key.
create table panel.operations (
  id              uuid        primary key default gen_random_uuid(),
  -- The order in which operations of one account take their turn.
  arrival         bigint      generated always as identity,

  -- The token or session of the request. Sessions are deleted, the number stays.
  token_id        bigint      references panel.tokens on delete restrict,
  session_id      bigint,
  -- The role of the caller, its words for lists, and its address; null where unknown.
  caller_role     text,
  caller_words    text,
  address         inet,
  key             text,
  -- HMAC of method, path and body under the caller's token; bodies are not stored.
  fingerprint     bytea,
  -- Method and target of an API request, for `panel jobs show`; null for other channels. No target
  -- holds a secret.
  request         text,
  -- The caller whose key it is; null for internal operations.
  caller          text        generated always as (
    case
      when token_id is not null then 'token:' || token_id::text
      when session_id is not null then 'session:' || session_id::text
      when key is not null then 'root'
    end) stored,

  state           text        not null default 'claimed',
  name            text,
  -- Null if none is concerned, or if the account is gone (a create that was undone).
  account_id      bigint      references panel.accounts on delete set null,
  -- For messages and lists: the name outlives the account.
  username        text,
  -- The part of the account that it is about, such as a domain, or the reason: by name and without
  -- secrets. Null if the write has none.
  subject         text        check (char_length(subject) <= 500),
  -- The operation whose change this internal one applies, which may be deleted before it; null if
  -- there is none.
  cause          uuid,
  -- Whether it changes the machine without an account.
  is_server       boolean     not null default false,
  -- The lane: an account, or 0 for the server. Null if the account is gone.
  lane            bigint
                  generated always as (case when is_server then 0 else account_id end) stored,
  -- Columns of the account: the values that this operation asks for, and those that it found (for
  -- undo).
  params           jsonb       not null default '{}',
  before           jsonb,

  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch           integer     not null default 0,
  starts          integer     not null default 0,
  -- The starts before the last one, in order: the number of each, why it failed, and its steps if
  -- they were recorded; null for none.
  earlier_starts  jsonb,
  -- The steps of the last start with their times, at most 64, written at its end; null if there
  -- were none or the process died before.
  steps           json,
  -- The sweeper skips an operation until then.
  due_at          timestamptz not null default now(),
  queue_job_id    bigint,

  status          integer,
  body            bytea,
  -- Whether the stored body is encrypted under a key that only the caller's token yields.
  is_sealed       boolean     not null default false,
  location        text,
  -- The code of a refusal (src/errors.ts), which a repeat gets again with the answer.
  reason          text,
  -- The input that caused the refusal, by its name in the request.
  field           text,
  -- Why it failed, in words for the administrator.
  error           text,
  -- Why its changes could not be undone (yet); `error` stays the cause of the failure.
  undo_error      text,
  -- Whether it was cancelled before it started: nothing was done for it.
  is_cancelled    boolean     not null default false,
  -- The differences on the machine that an operation of a rebuild found, as sentences for the
  -- administrator: empty at first, and null if they are not recorded.
  differed        text[],
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  finished_at     timestamptz,

  unique (token_id, key),
  constraint operations_check check (panel_checks.is_operation(
    state, status, body, finished_at, is_cancelled, is_server, account_id, token_id, session_id,
    key, fingerprint, caller_role))
);

-- Keys of sessions and of root, next to those of tokens.
create unique index operations_caller_key on panel.operations (caller, key) where token_id is null;
-- One operation of a lane is in progress, the others are blocked.
create unique index operations_lane on panel.operations (lane)
  where state in ('queued', 'running', 'undoing');
-- Every begin reads the unfinished operations in its lane, every end the blocked ones: one index
-- serves both. Without it each begin read all unfinished operations: 10,000 of them took 36 s.
create index operations_unfinished on panel.operations (lane, arrival)
  where state in ('blocked', 'queued', 'running', 'undoing');
create index operations_finished on panel.operations (created_at) where state in ('done', 'failed');
-- Operations that ended in the last hour, whenever they were requested.
create index operations_ended on panel.operations (finished_at) where state in ('done', 'failed');
create index operations_cause on panel.operations (cause) where cause is not null;
create index operations_of_account on panel.operations (account_id, created_at)
  where state in ('done', 'failed');

-- The list of operations. `migrate` fills it from src/model/operations/operation-names.ts; nothing
-- else writes it.
create table panel.operation_names (
  name           text    primary key check (name ~ '^[a-z]+/[a-z-]+$'),
  -- The lane whose turn it takes; `none` changes rows only.
  lane           text    not null check (lane in ('account', 'server', 'none')),
  -- The names of its parameters.
  params          text[]  not null,
  -- The channels that may request it.
  channels          text[]  not null,
  -- Whether it lifts a suspension, or deletes something that one keeps: if an administrator has
  -- suspended the account, only an administrator's is executed.
  lifts          boolean not null default false,
  -- Whether an internal one can be begun again by an administrator after a failure.
  is_repeatable  boolean not null default false
);

grant select (id, arrival, token_id, session_id, caller, caller_role, caller_words, address, key,
  fingerprint, state, name, account_id, username, subject, cause, is_server, epoch, status, body,
  is_sealed, location, reason, field, is_cancelled, created_at, started_at, finished_at)
  on panel.operations to panel_api;
grant select on panel.operations to panel_worker;
