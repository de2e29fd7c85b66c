-- What .htaccess files of websites say that nothing applies, as the worker last read it.
create table panel.site_rules (
  site_id  bigint      primary key references panel.sites on delete cascade,
  -- As src/model/site-rules.ts has it.
  found    jsonb       not null,
  read_at  timestamptz not null
);
