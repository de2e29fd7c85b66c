-- Who did what, when and from where. Operations are their own history for as long as they are kept,
-- so that a request writes nothing more; when they are purged, they are written down here.
create table panel.history (
  id            bigint      generated always as identity primary key,
  at            timestamptz not null default now(),
  channel          text        not null check (channel in ('page', 'api', 'command', 'panel')),
  -- In words, as the name was then.
  who           text        not null,
  -- Null for the panel itself.
  role          text        check (role in ('administrator', 'reseller', 'customer')),
  address       inet,
  -- An operation's name, or of the same form: `token/create`.
  action        text        not null check (action ~ '^[a-z-]+/[a-z-]+$'),
  -- The account, package or other thing that it concerns, by name; no secret.
  about         text        check (char_length(about) <= 500),
  -- The part of it, as a domain, or why it was asked for.
  subject       text        check (char_length(subject) <= 500),
  -- Who else sees it: the customer, and the reseller (not administrators as a seller).
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
-- Wrong passwords and codes are lines of the history too; there are only so many of them in a day,
-- which are counted by this.
create index history_refused on panel.history (at) where action = 'session/refuse';
-- Values that few lines have are found without reading all of them. Where many lines have them, the
-- latest are read in their order.
create index history_who on panel.history (who text_pattern_ops);
create index history_action on panel.history (action text_pattern_ops);
create index history_channel on panel.history (channel);

-- It is written by functions alone, and never changed.
grant select on panel.history to panel_api;
