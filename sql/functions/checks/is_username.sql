-- Returns whether a text fits the grammar of accounts' names (src/model/grammar/grammar.ts).
create or replace function panel.is_username(p_text text)
returns boolean
language sql immutable
as $$
  select p_text ~ '^[a-z][a-z0-9_-]{0,30}[a-z0-9]$' and not is_reserved(p_text);
$$;
