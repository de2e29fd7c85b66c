-- Websites that are added and removed one by one.
alter table panel.sites
  -- `reserved` is a name that waits for its operation: the machine has never seen it.
  add column wanted    text not null default 'present'
                       check (wanted in ('reserved', 'present', 'absent')),
  -- The operation that adds it: without its success the row goes.
  add column added_by  uuid;

create index sites_added on panel.sites (added_by) where added_by is not null;
