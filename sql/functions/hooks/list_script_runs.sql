-- Returns the latest runs of hook scripts, those of the newest events first.
create or replace function panel.list_script_runs(p_limit integer)
returns table (
  event_id bigint, event text, account text, name text, path text, outcome text, reason text,
  exit_code integer, signal text, stdout bytea, stderr bytea, is_repeated boolean,
  started_at timestamptz, duration_ms integer
)
language sql stable security definer
as $$
  select e.id, e.name, e.data ->> 'username', s.name, s.path, s.outcome, s.reason, s.exit_code,
    s.signal, s.stdout, s.stderr, s.is_repeated, s.started_at, s.duration_ms
  from (
    select r.event_id from hook_runs r
    where exists (select from script_runs s where s.event_id = r.event_id)
    order by r.event_id desc
    limit p_limit) r
  join events e on e.id = r.event_id
  join script_runs s on s.event_id = r.event_id
  order by e.id desc, s.started_at desc, s.name
  limit p_limit;
$$;
grant execute on function panel.list_script_runs to panel_api;
