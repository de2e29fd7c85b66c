-- The number is a part of the record that the API reads with its own rights (account_record.sql).
grant select (uid) on panel.accounts to panel_api;

-- Requests of a token in each of the last 60 seconds, the latest first and as far back as the
-- oldest that counts. Without a check, whose text would be read at each request: nobody writes
-- here but `authenticate`. Unlogged: a count lost in a crash is a minute's leniency, a logged one a
-- write to disk a request. An earlier release counts in request_counts.
create unlogged table panel.request_windows (
  token_id  bigint     primary key references panel.tokens on delete cascade,
  -- What the first count is of.
  second    bigint     not null,
  counts    smallint[] not null,
  -- Their sum.
  used      integer    not null
) with (fillfactor = 50);

-- When a token was used last.
grant select on panel.request_windows to panel_api;
