-- Where administrators may sign in to the pages from; no row at all means anywhere.
create table panel.sign_in_ranges (
  range       cidr        primary key,
  created_at  timestamptz not null default now()
);

grant select on panel.sign_in_ranges to panel_api;
