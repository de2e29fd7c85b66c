-- Who did what, when and from where. Operations are their own history for as long as they are kept,
-- so that the way of a request writes nothing more; purged, they are written down here.
alter table panel.operations
  -- Where it was asked from; null where nobody knows.
  add column address inet;

create index operations_of_account on panel.operations (account_id, created_at)
  where state in ('done', 'failed');

grant select (caller_role, caller_words, address, is_server) on panel.operations to panel_api;

create table panel.history (
  id            bigint      generated always as identity primary key,
  at            timestamptz not null default now(),
  door          text        not null check (door in ('page', 'api', 'command', 'panel')),
  -- In words, as the name was then.
  who           text        not null,
  -- Null for the panel itself, and in what an earlier release has left.
  role          text        check (role in ('administrator', 'reseller', 'customer')),
  address       inet,
  -- An operation's name, or of the same form: `token/create`.
  action        text        not null check (action ~ '^[a-z-]+/[a-z-]+$'),
  -- Whom or what it concerns, by name; no secret.
  about         text        check (char_length(about) <= 500),
  -- Who else sees it: the customer, and the reseller (not the house's).
  account_id    bigint,
  seller_id     bigint,
  outcome       text        not null default 'done'
                check (outcome in ('done', 'refused', 'failed', 'cancelled')),
  -- Why it was refused, by its code.
  reason        text,
  operation_id  uuid
);

create index history_at on panel.history (at, id);
create index history_account on panel.history (account_id, at) where account_id is not null;
create index history_seller on panel.history (seller_id, at) where seller_id is not null;

-- It is written by functions alone, and changed by nobody.
grant select on panel.history to panel_api;
