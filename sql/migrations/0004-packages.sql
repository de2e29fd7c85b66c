-- Packages: limits under a name, one catalogue for each seller.
create table panel.packages (
  id                    bigint generated always as identity primary key,
  seller_id             bigint      not null references panel.sellers on delete restrict,
  name                  text        not null
                        check (name ~ '^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$'),
  max_sites             integer     not null default 1    check (max_sites between 0 and 10000),
  disk_mb               integer     not null default 1024 check (disk_mb between 1 and 10000000),
  memory_mb             integer     not null default 512  check (memory_mb between 32 and 1048576),
  cpu_percent           integer     not null default 100  check (cpu_percent between 1 and 6400),
  sftp                  boolean     not null default true,
  max_databases         integer     not null default 1    check (max_databases between 0 and 10000),
  -- Per database user.
  database_connections  integer     not null default 20
                        check (database_connections between 1 and 1000),
  -- Versions, the default first; empty allows all.
  php_allowed           text[]      not null default '{}'
                        check (array_to_string(php_allowed, ' ') ~ '^([0-9]+[.][0-9]+( |$))*$'),
  php_execution_seconds integer     not null default 300
                        check (php_execution_seconds between 1 and 300),
  php_extensions        boolean     not null default true,
  max_cron_jobs         integer     not null default 20   check (max_cron_jobs between 0 and 200),
  -- Between two starts of a job.
  cron_interval_minutes integer     not null default 1
                        check (cron_interval_minutes between 1 and 1440),
  cron_run_minutes      integer     not null default 720
                        check (cron_run_minutes between 1 and 10080),
  max_aliases           integer     not null default 20   check (max_aliases between 0 and 10000),
  -- Recipients of mail that the account sends.
  mails_per_hour        integer     not null default 100
                        check (mails_per_hour between 0 and 100000),
  max_mailboxes         integer     not null default 5    check (max_mailboxes between 0 and 10000),
  mail_catch_all        boolean     not null default false,
  -- The interval of backups of accounts.
  backups               text        not null default 'daily'
                        check (backups in ('none', 'daily', 'hourly')),
  -- The days, weeks and months of which the last backup is kept.
  keep_daily            integer     not null default 7    check (keep_daily between 0 and 366),
  keep_weekly           integer     not null default 4    check (keep_weekly between 0 and 520),
  keep_monthly          integer     not null default 0    check (keep_monthly between 0 and 120),
  created_at            timestamptz not null default now(),
  updated_at            timestamptz not null default now(),

  -- The progress of a change: accounts with a higher id still have to follow it. Null means that
  -- all of them have their operation.
  apply_after           bigint,
  apply_job_id          bigint,
  -- The operation that changed it.
  apply_cause           uuid,

  unique (seller_id, name)
);

create index packages_due on panel.packages (id) where apply_after is not null;

grant select on panel.packages to panel_api, panel_worker;
