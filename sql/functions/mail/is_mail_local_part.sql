-- Returns whether a text can stand before the @ of a mailbox or an alias
-- (src/model/mail/mail-grammar.ts).
create or replace function panel.is_mail_local_part(p_text text)
returns boolean
language sql immutable
as $$
  select coalesce(
    p_text ~ '^[a-z0-9][a-z0-9._-]{0,63}$' and p_text !~ '\.\.|\.$',
    false);
$$;
