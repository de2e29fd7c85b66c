-- A write request and the answer it was given. The row is the idempotency record and the truth
-- about the work; a job in the queue only wakes the worker for it. Work that no request asked for
-- (a changed package is applied to its accounts) is an operation too, without a key.
create table panel.operations (
  id              uuid        primary key default gen_random_uuid(),
  -- The order in which operations of one account take their turn.
  arrival         bigint      generated always as identity,

  -- The token or session that asked. Sessions are deleted, the number stays.
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
  -- Whose key it is; null where no request asked for it.
  caller          text        generated always as (
    case
      when token_id is not null then 'token:' || token_id::text
      when session_id is not null then 'session:' || session_id::text
      when key is not null then 'root'
    end) stored,

  state           text        not null default 'claimed',
  name            text,
  -- Null where none is concerned, or where the account is gone (a create that was undone).
  account_id      bigint      references panel.accounts on delete set null,
  -- For messages and lists: the name outlives the account.
  username        text,
  -- The part of the account that it is about, as a domain, or why it was asked for: by name and
  -- without secrets. Null where the write names none.
  subject         text        check (char_length(subject) <= 500),
  -- It changes the machine without an account.
  is_server       boolean     not null default false,
  -- What takes turns: an account, or 0 for the server. Null where the account is gone.
  lane            bigint
                  generated always as (case when is_server then 0 else account_id end) stored,
  -- Columns of the account: what this operation asks for, and what it found (for undo).
  params           jsonb       not null default '{}',
  before           jsonb,

  -- Raised at every enqueue and every start; a writer with another epoch is too late.
  epoch           integer     not null default 0,
  starts          integer     not null default 0,
  -- The starts before the last one, in order: of each its number, why it came to nothing, and its
  -- steps, where they were recorded; null where there was none.
  earlier_starts  jsonb,
  -- The steps of the last start with their times, at most 64, written at its end; null where there
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
  -- The input that the refusal is about, by the name that its caller gives it.
  field           text,
  -- Why it failed, in words for the administrator.
  error           text,
  -- Why what it had begun could not be undone (yet); `error` stays the cause of the failure.
  undo_error      text,
  -- Cancelled before it had begun: nothing was done for it.
  is_cancelled    boolean     not null default false,
  -- What an operation that a rebuild has begun found different on the machine, as sentences for the
  -- administrator: empty at first, and null where it is not recorded.
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
-- Every begin asks what is unfinished in its lane, every end what is blocked there: one index
-- answers both. Without it each begin read all that was unfinished: 10,000 of them took 36 s.
create index operations_unfinished on panel.operations (lane, arrival)
  where state in ('blocked', 'queued', 'running', 'undoing');
create index operations_finished on panel.operations (created_at) where state in ('done', 'failed');
-- What has ended in the last hour, whenever it was asked for.
create index operations_ended on panel.operations (finished_at) where state in ('done', 'failed');
create index operations_of_account on panel.operations (account_id, created_at)
  where state in ('done', 'failed');

-- The operations that there are. `migrate` fills it from src/model/operations/operation-names.ts;
-- nothing else writes it.
create table panel.operation_names (
  name           text    primary key check (name ~ '^[a-z]+/[a-z-]+$'),
  -- The lane it takes its turn in; `none` changes rows only.
  lane           text    not null check (lane in ('account', 'server', 'none')),
  -- The names of what it may ask for.
  params          text[]  not null,
  -- The channels by which it may be asked for.
  channels          text[]  not null,
  -- Whether it lifts a suspension, or takes away what one keeps: where an administrator has
  -- suspended the account, only an administrator's is executed.
  lifts          boolean not null default false,
  -- Whether one that the panel has asked of itself is begun again where it has failed and an
  -- administrator wants it.
  is_repeatable  boolean not null default false
);

grant select (id, arrival, token_id, session_id, caller, caller_role, caller_words, address, key,
  fingerprint, state, name, account_id, username, subject, is_server, epoch, status, body,
  is_sealed, location, reason, field, is_cancelled, created_at, started_at, finished_at)
  on panel.operations to panel_api;
grant select on panel.operations to panel_worker;
