-- Returns whether a text fits the grammar of references (src/model/grammar/grammar.ts).
create or replace function panel.is_reference(p_text text)
returns boolean
language sql immutable
as $$
  select char_length(p_text) between 1 and 128 and not has_hidden(p_text);
$$;
