-- Starts the hook scripts of an event, or resumes them after a worker died, under a new epoch, so
-- that an earlier start can record nothing more.  Returns no row if they have run, if it is not
-- their turn, or if hook scripts are paused and none has begun.
create or replace function panel.start_hook_run(
  p_event_id bigint,
  out epoch integer,
  out event text,
  out body bytea,
  out mark uuid,
  -- Scripts that have run, or were running when the worker died.
  out scripts jsonb
)
returns setof record
language plpgsql volatile security definer
as $$
begin
  update hook_runs r
  set epoch = r.epoch + 1, state = 'running', started_at = coalesce(r.started_at, now())
  where r.event_id = p_event_id
    and (r.state = 'running' or r.state = 'queued' and not is_paused('hook/run'))
  returning r.epoch, r.mark into epoch, mark;
  if not found then
    return;
  end if;

  -- A start that is lost in a crash of the server is repeated, so it need not wait for the disk;
  -- numbers of events must.
  if number_events() = 0 then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  select e.name, event_body(e) into event, body from events e where e.id = p_event_id;
  select coalesce(
    jsonb_agg(
      jsonb_build_object('id', s.id, 'name', s.name, 'outcome', s.outcome, 'leader', s.leader)),
    '[]')
  into scripts
  from script_runs s
  where s.event_id = p_event_id and not s.is_repeated;
  return next;
end;
$$;
grant execute on function panel.start_hook_run to panel_worker;
