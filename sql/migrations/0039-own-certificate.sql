-- The certificate of the panel itself, for the server's name: what root has asked for, and how far
-- the courier is. There is a row where nginx answers for the panel.
create table panel.own_certificate (
  is_single boolean     primary key default true check (is_single),
  domain    text        not null,
  -- Its key never leaves root's folder.
  request   text        not null,
  -- Null where the one that is served will do.
  due_at    timestamptz default now(),
  tries     integer     not null default 0,
  -- What the authority has issued, until it is installed.
  chain     text,
  -- Why there is none, in words for the administrator.
  error     text
);

grant select, insert, update on panel.own_certificate to panel_worker;
grant select, update (due_at, tries, chain, error) on panel.own_certificate to panel_courier;
