-- Warnings of accounts have a code, by which the worker and functions go, beside the sentence for
-- people: `[{"code": "disk_not_limited", "sentence": "…"}]`.  Those that are there have none that
-- is known: the next operation that looks after the whole account writes them anew.
create function pg_temp.coded(p_warnings text[]) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'code', case w
        when 'The last change could not be undone completely: it is tried again until it is'
          then 'half_undone'
        else 'unknown_' || position
      end,
      'sentence', w) order by position), '[]')
  from unnest(p_warnings) with ordinality as u (w, position);
$$;

alter table panel.accounts
  alter column warnings drop default,
  alter column warnings type jsonb using pg_temp.coded(warnings),
  alter column warnings set default '[]',
  add constraint accounts_warnings check (jsonb_typeof(warnings) = 'array');

drop function pg_temp.coded;
