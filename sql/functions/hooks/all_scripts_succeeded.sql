-- Returns whether all hook scripts of an event have succeeded since they were last made due. An
-- interrupted one counts if it succeeded after that. Internal.
create or replace function panel.all_scripts_succeeded(p_event_id bigint)
returns boolean
language sql stable
as $$
  select not exists (
    select from script_runs s
    where s.event_id = p_event_id and s.outcome <> 'succeeded' and not s.is_repeated
      and not exists (
        select from script_runs o
        where o.event_id = s.event_id and o.name = s.name and o.outcome = 'succeeded'));
$$;
