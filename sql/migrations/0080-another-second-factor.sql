-- A second factor is replaced while the one before is in use.
alter table panel.second_factors
  -- The secret that takes the place of `secret` with its first code, sealed alike; null where no
  -- other was begun.
  add column next_secret bytea check (octet_length(next_secret) between 30 and 255),
  add column next_begun_at timestamptz,
  add check ((next_secret is null) = (next_begun_at is null)),
  add check (next_secret is null or confirmed_at is not null);
