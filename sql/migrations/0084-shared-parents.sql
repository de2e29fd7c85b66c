-- Domains below which different accounts may each take a name, as free subdomains do: an
-- administrator names them one by one.
create table panel.shared_parents (
  domain      text        primary key
              check (domain = lower(domain) and char_length(domain) <= 249),
  created_at  timestamptz not null default now()
);

grant select on panel.shared_parents to panel_api;
