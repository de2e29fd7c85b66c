-- What forms of pages have done that is no operation, so that one that is sent twice does it once.
create table panel.form_answers (
  session_id  bigint      not null references panel.sessions (id) on delete cascade,
  -- Minted each time that a form is drawn.
  key         text        not null check (char_length(key) <= 36),
  -- Of what was typed, keyed by the session's secret.
  fingerprint bytea       not null check (octet_length(fingerprint) = 32),
  -- The page that followed, encrypted under the session's secret; null while it is being done.
  reply       bytea,
  created_at  timestamptz not null default now(),

  primary key (session_id, key)
);

create index form_answers_created on panel.form_answers (created_at);

grant select, insert, update (reply) on panel.form_answers to panel_api;
