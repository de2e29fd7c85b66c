-- What an account on a package may have of MariaDB.
alter table panel.packages
  add column max_databases        integer not null default 1
                                  check (max_databases between 0 and 10000),
  -- At a time, of each of its users.
  add column database_connections integer not null default 20
                                  check (database_connections between 1 and 1000);
