-- Backups of accounts: where they go, their repositories, and each backup.

-- The targets of backups of accounts.
create table panel.backup_targets (
  id          bigint      generated always as identity primary key,
  name        text        not null unique
                          check (name ~ '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$'),
  -- The address and its sealed credentials (src/model/account-backups/targets.ts).
  target      jsonb       not null check (jsonb_typeof(target) = 'object'),
  -- The part without credentials.
  address     jsonb       not null generated always as (target -> 'address') stored,
  -- The target of new backups.
  is_default  boolean     not null default false,
  created_at  timestamptz not null default now(),
  -- The last test that it passed: data was written, read and deleted.
  tested_at   timestamptz not null default now()
);

create unique index backup_targets_default on panel.backup_targets (is_default) where is_default;

-- The repository of an account at a target: it is kept when the account is terminated.
create table panel.backup_repositories (
  id           bigint      generated always as identity primary key,
  target_id    bigint      not null references panel.backup_targets on delete restrict,
  account_id   bigint      references panel.accounts on delete set null,
  -- The username, which outlives the account.
  username     text        not null,
  -- The key of the repository, sealed by the server's.
  sealed_key   text        not null check (char_length(sealed_key) <= 1000),
  created_at   timestamptz not null default now(),
  -- Whether restic has created it.
  is_created   boolean     not null default false,
  -- Whether a run may have ended without a record: the next one compares snapshots and rows.
  is_dirty     boolean     not null default false,
  -- When old backups were last removed, or the repository was recorded.
  pruned_at    timestamptz not null default now(),

  unique (target_id, account_id)
);

create index backup_repositories_account on panel.backup_repositories (account_id);

create table panel.account_backups (
  id             bigint      generated always as identity primary key,
  repository_id  bigint      references panel.backup_repositories on delete cascade,
  account_id     bigint      references panel.accounts on delete set null,
  username       text        not null,
  -- The operation that dumps the databases.
  operation_id   uuid        not null unique,
  state          text        not null default 'preparing'
                             check (state in ('preparing', 'ready', 'running', 'done', 'failed')),
  -- Raised at each start of a run: an earlier one can record nothing any more.
  epoch          integer     not null default 0,
  created_at     timestamptz not null default now(),
  -- The start of the run, and its end.
  started_at     timestamptz,
  finished_at    timestamptz,
  -- The files of the spool that it contains, besides the account's rows.
  dumps          text[]      not null default '{}',

  -- The name of the snapshot in its repository.
  snapshot       text        check (snapshot ~ '^[0-9a-f]{64}$'),
  bytes_read     bigint      check (bytes_read >= 0),
  bytes_added    bigint      check (bytes_added >= 0),
  files          integer     check (files >= 0),
  duration_ms    bigint      check (duration_ms >= 0),
  -- Parts that could not be read, as codes (src/model/server/backup-warnings.ts).
  warnings       jsonb       not null default '[]' check (jsonb_typeof(warnings) = 'array'),
  -- Why it failed, in words for the administrator.
  error          text        check (char_length(error) <= 1000),

  check (state <> 'done' or num_nulls(
    repository_id, snapshot, bytes_read, bytes_added, files, duration_ms, finished_at) = 0),
  check ((state = 'failed') = (error is not null)),
  check (state not in ('ready', 'running') or repository_id is not null)
);

create index account_backups_account on panel.account_backups (account_id, id);
create index account_backups_repository on panel.account_backups (repository_id, id);
create index account_backups_unfinished on panel.account_backups (id)
  where state in ('preparing', 'ready', 'running');

grant select (id, name, address, is_default, created_at, tested_at)
  on panel.backup_targets to panel_api;
grant select on panel.backup_targets, panel.backup_repositories to panel_worker;
grant select (id, target_id, account_id, username, created_at, is_created)
  on panel.backup_repositories to panel_api;
grant select on panel.account_backups to panel_api, panel_worker;

-- The lists of files of backups, by which people choose what to restore
-- (src/model/account-backups/file-list.ts).
create table panel.backup_lists (
  backup_id  bigint  primary key references panel.account_backups on delete cascade,
  contents   jsonb   not null check (jsonb_typeof(contents) = 'object'),
  -- Compressed already.
  list       bytea   not null
);

alter table panel.backup_lists alter column list set storage external;

grant select on panel.backup_lists to panel_api, panel_worker;

-- Restores of parts of backups. Each begins with a backup of the account as it is.
create table panel.account_restores (
  id                bigint      generated always as identity primary key,
  account_id        bigint      references panel.accounts on delete set null,
  username          text        not null,
  backup_id         bigint      references panel.account_backups on delete set null,
  repository_id     bigint      not null references panel.backup_repositories on delete cascade,
  snapshot          text        not null check (snapshot ~ '^[0-9a-f]{64}$'),
  -- The operation that has requested it, and dumps the databases of the backup before it.
  operation_id      uuid        not null unique,
  safety_backup_id  bigint      references panel.account_backups on delete set null,
  -- The parts to restore (src/model/account-backups/restores.ts).
  items             jsonb       not null check (jsonb_typeof(items) = 'object'),
  -- Whether replaced files are kept in the trash.
  keeps_replaced    boolean     not null default true,
  -- `saving` until the backup before it has ended, `reading` while restic reads, `staged` until the
  -- content is in the account.
  state             text        not null default 'saving'
                                check (state in ('saving', 'reading', 'staged', 'done', 'failed')),
  -- Raised at each start of a run: an earlier one can record nothing any more.
  epoch             integer     not null default 0,
  -- The staged content: paths in the home, databases and mailboxes.
  staged            jsonb       check (jsonb_typeof(staged) = 'object'),
  -- Rows of the backup for databases and mailboxes that were deleted since, with hashes of
  -- passwords (src/model/account-backups/backed-up-rows.ts); null before and after.
  rows              jsonb       check (jsonb_typeof(rows) = 'object'),
  bytes             bigint      check (bytes >= 0),
  files             integer     check (files >= 0),
  -- Parts that were left out, as codes.
  warnings          jsonb       not null default '[]' check (jsonb_typeof(warnings) = 'array'),
  error             text        check (char_length(error) <= 1000),
  created_at        timestamptz not null default now(),
  finished_at       timestamptz,

  check ((state = 'failed') = (error is not null)),
  check ((state in ('done', 'failed')) = (finished_at is not null)),
  check (state not in ('staged', 'done') or num_nulls(staged, bytes, files) = 0)
);

create index account_restores_account on panel.account_restores (account_id, id);
create index account_restores_backup on panel.account_restores (backup_id);
create index account_restores_safety on panel.account_restores (safety_backup_id);
create index account_restores_repository on panel.account_restores (repository_id);
-- An account has one at a time.
create unique index account_restores_unfinished on panel.account_restores (account_id)
  where state in ('saving', 'reading', 'staged');

grant select on panel.account_restores to panel_worker;
grant select (id, account_id, username, backup_id, repository_id, snapshot, operation_id,
    safety_backup_id, items, keeps_replaced, state, epoch, bytes, files, warnings, error,
    created_at, finished_at)
  on panel.account_restores to panel_api;
