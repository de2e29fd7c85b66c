-- Returns a number of things in words: `1 account`, `2 accounts`. Internal.
create or replace function panel.counted(p_number bigint, p_singular text)
returns text
language sql immutable
as $$
  select format('%s %s%s', p_number, p_singular, case when p_number <> 1 then 's' end);
$$;
