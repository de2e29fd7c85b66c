-- The newest release that can be had, as the courier has found it: one row.
create table panel.newest_release (
  is_only    boolean      primary key default true check (is_only),
  -- Null where none was found yet.
  version    text,
  notes      text,
  looked_at  timestamptz,
  -- Why the last look has found none.
  error      text
);
insert into panel.newest_release default values;

grant select on panel.newest_release to panel_api, panel_courier;
grant update (version, notes, looked_at, error) on panel.newest_release to panel_courier;
