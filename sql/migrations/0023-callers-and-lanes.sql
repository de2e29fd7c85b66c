-- Every door asks in the same way, and a lane is an account's or the server's own.

-- Sessions are named by a number in what they have asked for; it is never given again.
alter table panel.account_sessions add column id bigint generated always as identity unique;

alter table panel.operations
  -- The session that asked; sessions are deleted, the number stays.
  add column session_id   bigint,
  -- As what the caller asked, and in words for lists; an earlier release leaves them out.
  add column caller_role  text check (caller_role in ('administrator', 'reseller', 'customer')),
  add column caller_words text,
  -- It changes the machine without an account.
  add column is_server    boolean not null default false,
  drop constraint operations_caller,
  add constraint operations_caller check (
    num_nulls(key, fingerprint) in (0, 2) and num_nonnulls(token_id, session_id) <= 1
    and (key is not null or num_nonnulls(token_id, session_id) = 0)),
  add check (not is_server or account_id is null);

-- Generated, so that they are right in rows that an earlier release writes after a rollback.
alter table panel.operations
  -- Whom the key belongs to; null where no request asked for it.
  add column caller text generated always as (
    case
      when token_id is not null then 'token:' || token_id::text
      when session_id is not null then 'session:' || session_id::text
      when key is not null then 'root'
    end) stored,
  -- What takes turns: an account, or 0 for the server. Null where the account is gone.
  add column lane bigint
    generated always as (case when is_server then 0 else account_id end) stored;

-- Beside that of tokens, which an earlier release goes by.
create unique index operations_caller_key on panel.operations (caller, key) where token_id is null;

update panel.operations o
set caller_role = w.role, caller_words = w.name || ', token ' || t.name
from panel.tokens t join panel.owners w on w.id = t.owner_id
where t.id = o.token_id;

drop index panel.operations_lane, panel.operations_parked;
create unique index operations_lane on panel.operations (lane)
  where state in ('queued', 'running', 'undoing');
create index operations_parked on panel.operations (lane, arrival) where state = 'parked';

-- The operations that there are, whose lane they take, what they may want and by which doors they
-- may be asked for. `migrate` fills it from src/model/operation-names.ts; nobody else writes it.
create table panel.operation_names (
  name   text   primary key check (name ~ '^[a-z]+/[a-z-]+$'),
  -- `none` changes rows only.
  lane   text   not null check (lane in ('account', 'server', 'none')),
  wants  text[] not null,
  doors  text[] not null
);

grant select (caller, session_id) on panel.operations to panel_api;
