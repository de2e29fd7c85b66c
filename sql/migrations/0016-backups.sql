-- Backups that have been written and read back. A file may be gone by now; the row says only that
-- it was made.
create table panel.backups (
  id           uuid        primary key,
  path         text        not null,
  bytes        bigint      not null check (bytes >= 0),
  started_at   timestamptz not null,
  duration_ms  integer     not null check (duration_ms >= 0),
  release      text        not null,
  -- What could not be read of the homes, as sentences.
  warnings     text[]      not null default '{}'
);

create index backups_started on panel.backups (started_at);

-- Since when this is a restored server that tells nobody anything and measures nothing, as the one
-- that was backed up may still be running; null where it works as usual.
alter table panel.server add column held_since timestamptz;
