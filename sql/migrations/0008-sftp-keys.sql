-- Public keys by which an account's user may log in by SFTP.
create table panel.sftp_keys (
  id         bigint      generated always as identity primary key,
  account_id bigint      not null references panel.accounts on delete cascade,
  -- Type and base64, as in `authorized_keys`: without options, on one line.
  key        text        not null
                         check (octet_length(key) <= 3000
                           and key ~ '^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$'),
  -- The words after the key in its file, mostly its creator and host.
  comment    text        not null check (char_length(comment) <= 100),
  created_at timestamptz not null default now(),
  -- `reserved` is one that waits for its operation: the machine has never seen it.
  desired     text        not null default 'reserved'
                         check (desired in ('reserved', 'present', 'absent')),
  -- The operation that adds it: unless it succeeds, the row is deleted.
  added_by   uuid,

  unique (account_id, key)
);

create index sftp_keys_added on panel.sftp_keys (added_by) where added_by is not null;

grant select on panel.sftp_keys to panel_api, panel_worker;
