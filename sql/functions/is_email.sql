-- Whether a text fits the grammar of e-mail addresses (src/model/grammar.ts).
create or replace function panel.is_email(p_text text)
returns boolean
language sql immutable
as $$
  select char_length(p_text) <= 254 and p_text ~ (
    '^([A-Za-z0-9_''+-]+\.)*[A-Za-z0-9_''+-]*[A-Za-z0-9_+-]'
    || '@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$');
$$;
