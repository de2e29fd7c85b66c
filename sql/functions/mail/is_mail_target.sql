-- Returns whether a text is an address that an alias may lead to (src/model/mail/mail-grammar.ts).
create or replace function panel.is_mail_target(p_text text)
returns boolean
language sql immutable
as $$
  select coalesce(
    char_length(p_text) <= 254
      and split_part(p_text, '@', 1) ~ '^[A-Za-z0-9_][A-Za-z0-9._+=-]{0,63}$'
      and split_part(p_text, '@', 1) !~ '\.\.|\.$'
      and is_domain(split_part(p_text, '@', 2))
      and cardinality(string_to_array(p_text, '@')) = 2,
    false);
$$;
