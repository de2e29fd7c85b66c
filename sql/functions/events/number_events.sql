-- Numbers every committed event that has no number yet, in the order of their ids, and returns how
-- many.  Every reader of an event's body calls it first; a change never does, so that no commit
-- waits for another one's.
--
-- The order agrees with that of each account's changes: a later change begins after the commit of
-- the earlier one, so its event has the higher id, and a reader that sees it sees the earlier one
-- too.  Numbers are given only to committed rows and in one transaction, so there are no gaps.
--
-- A receiver may know a number as soon as this has returned: the caller's transaction has to be
-- durable where any were given.
create or replace function panel.number_events()
returns integer
language plpgsql volatile security definer
as $$
declare
  v_ids  bigint[];
  v_last bigint;
begin
  if not exists (select from events where sequence is null) then
    return 0;
  end if;
  -- One at a time: each of the statements below sees what the call before has committed.
  perform pg_advisory_xact_lock(-6);

  v_ids := array(select id from events where sequence is null order by id);
  if cardinality(v_ids) = 0 then
    return 0;
  end if;
  update event_counters
  set value = value + cardinality(v_ids), changed_at = now()
  where name = 'numbered'
  returning value - cardinality(v_ids) into v_last;
  update events e
  set sequence = v_last + n.ordinal
  from unnest(v_ids) with ordinality as n (id, ordinal)
  where e.id = n.id;
  return cardinality(v_ids);
end;
$$;
grant execute on function panel.number_events to panel_api, panel_worker, panel_courier;
