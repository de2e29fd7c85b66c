-- Returns whether a text fits the grammar of websites' names (src/model/grammar/grammar.ts), except
-- for checks that need lists and decoding: public suffixes and the validity of xn-- labels, which
-- are harmless to the machine.
create or replace function panel.is_domain(p_text text)
returns boolean
language sql immutable
as $$
  select char_length(p_text) <= 249
    and p_text ~ (
      '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+' || '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$')
    -- A number at the end makes it an address.
    and p_text !~ '\.(0x[0-9a-f]*|[0-9]+)$'
    and p_text !~ '(^|\.)(localhost|local|arpa|onion|internal)$';
$$;
