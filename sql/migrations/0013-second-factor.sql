-- What an owner proves beside the password: codes of an app (TOTP, RFC 6238), and recovery codes
-- for when the app is gone.
create table panel.second_factors (
  owner_id      bigint      primary key references panel.owners on delete cascade,
  -- Encrypted under the server's key, for this owner.
  secret        bytea       not null check (octet_length(secret) between 30 and 255),
  created_at    timestamptz not null default now(),
  -- Null until a first code shows that the app has the secret; nobody is asked for one before.
  confirmed_at  timestamptz,
  -- The 30 seconds whose code was used last: that code and all before it are used up.
  last_step     bigint,
  -- Tries since the last right one, each counted before it is judged.
  failures      integer     not null default 0 check (failures >= 0),
  -- Null before the first try.
  tried_at      timestamptz,

  check ((confirmed_at is null) = (last_step is null))
);

-- Each is good for one sign-in.
create table panel.recovery_codes (
  owner_id  bigint      not null references panel.second_factors on delete cascade,
  -- SHA-256 of the code; 80 random bits need no slow hash.
  hash      bytea       not null check (octet_length(hash) = 32),
  used_at   timestamptz,

  primary key (owner_id, hash)
);

-- Whoever signs people in reads these and notes what was used. What changes a second factor also
-- moves the credential epoch, so it is left to functions.
grant select on panel.second_factors, panel.recovery_codes to panel_api;
grant update (last_step, failures, tried_at) on panel.second_factors to panel_api;
grant update (used_at) on panel.recovery_codes to panel_api;
