-- What root found when it looked at the server the last time, for pages, whose process may not look
-- itself: one row.
create table panel.server_snapshot (
  is_only   boolean     primary key default true check (is_only),
  -- Null before the first look.
  taken_at  timestamptz,
  -- How long that took.
  took_ms   integer     check (took_ms >= 0),
  content   jsonb,
  -- When somebody has asked for another one.
  asked_at  timestamptz,
  check (num_nulls(taken_at, took_ms, content) in (0, 3))
);

insert into panel.server_snapshot default values;

grant select on panel.server_snapshot to panel_api;
grant select, update (taken_at, took_ms, content) on panel.server_snapshot to panel_worker;
