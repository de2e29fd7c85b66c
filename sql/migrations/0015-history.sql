-- Records who did what, when and from where. Operations are their own history for as long as they
-- are kept, so that a request writes nothing more; when they are purged, they are recorded here.
create table panel.history (
  id            bigint      generated always as identity primary key,
  at            timestamptz not null default now(),
  channel          text        not null check (channel in ('page', 'api', 'cli', 'panel')),
  -- In words, with the name of that time.
  who           text        not null,
  -- Null for the panel itself.
  role          text        check (role in ('administrator', 'reseller', 'customer')),
  address       inet,
  -- An operation's name, or a name of the same form: `token/create`.
  action        text        not null check (action ~ '^[a-z-]+/[a-z-]+$'),
  -- The account, package or other thing that it concerns, by name; never a secret.
  about         text        check (char_length(about) <= 500),
  -- The part of it, such as a domain, or the reason.
  subject       text        check (char_length(subject) <= 500),
  -- Readers other than administrators: the customer, and the reseller.
  account_id    bigint,
  seller_id     bigint,
  outcome       text        not null default 'done'
                check (outcome in ('done', 'refused', 'failed', 'cancelled')),
  -- The code of the refusal.
  reason        text,
  operation_id  uuid,
  -- The operation that caused it.
  cause         uuid
);

create index history_at on panel.history (at, id);
create index history_account on panel.history (account_id, at) where account_id is not null;
create index history_seller on panel.history (seller_id, at) where seller_id is not null;
-- Wrong passwords and codes are lines of the history too, limited per day; this index counts them.
create index history_refused on panel.history (at) where action = 'session/refuse';
-- Finds values that few lines have without reading all of them. For values of many lines, the
-- latest are read in their order.
create index history_who on panel.history (who text_pattern_ops);
create index history_action on panel.history (action text_pattern_ops);
create index history_channel on panel.history (channel);

create index history_cause on panel.history (cause) where cause is not null;

-- Only functions write it, and nothing changes it.
grant select on panel.history to panel_api;
