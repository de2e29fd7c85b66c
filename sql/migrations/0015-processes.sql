-- When each process of the panel has started. A row counts while the connection that it names holds
-- the process's lock (is_process_up.sql). Unlogged: a crash of the server ends all connections.
create unlogged table panel.processes (
  backend_pid  integer     primary key,
  name         text        not null check (name in ('api', 'worker', 'courier')),
  started_at   timestamptz not null
);
