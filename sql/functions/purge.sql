-- Deletes at most so many expired rows of each kind, and returns how many: finished operations 24
-- hours after they were asked for, whether by a caller or by the panel itself; expired sign-on
-- links and sessions; after 30 days hook runs and deliveries, after 7 days maintenance runs.  What
-- is parked, queued or running stays, however old.  Takes back what was added past the API for
-- something that was never begun.
create or replace function panel.purge(p_limit integer)
returns integer
language plpgsql volatile security definer
as $$
declare
  v_row   record;
  v_count integer;
  v_ended uuid[];
  v_total integer := erase_orphaned_accounts(p_limit);
begin
  -- The API commits no claim without what comes of it.
  for v_row in
    select distinct o.id, s.account_id
    from operations o
    left join list_added() s on s.added_by = o.id
    where o.state = 'claimed'
    limit p_limit
  loop
    continue when not hold_free_lane(v_row.account_id);
    update operations
    set state = 'failed', epoch = epoch + 1, error = 'It was never begun', finished_at = now()
    where id = v_row.id and state = 'claimed';
    if found then
      perform restore_found(v_row.id, true);
      v_total := v_total + 1;
    end if;
  end loop;

  -- An operation that has ended without what was reserved for it was never about that.
  for v_row in
    select distinct s.added_by, s.account_id
    from list_added() s
    where s.wanted = 'reserved' and not is_under_way(s.added_by)
    limit p_limit
  loop
    continue when not hold_free_lane(v_row.account_id);
    -- A repeat may have begun it anew.
    if not is_under_way(v_row.added_by) then
      perform restore_resources(v_row.added_by, true);
      v_total := v_total + 1;
    end if;
  end loop;

  -- A claim that is taking over an old key holds the row, which is then skipped.
  v_ended := array(
    select id from operations
    where state in ('done', 'failed') and created_at <= now() - interval '24 hours'
    order by created_at
    limit p_limit
    for update skip locked);
  perform keep_history(v_ended);
  delete from operations where id = any (v_ended);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from history
  where id in (
    select id from history where at <= now() - interval '1 year'
    order by at
    limit p_limit);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from sign_ons
  where hash in (
    select hash from sign_ons where expires_at <= now()
    order by expires_at
    limit p_limit
    for update skip locked);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from sessions
  where hash in (
    select hash from sessions where expires_at <= now()
    order by expires_at
    limit p_limit
    for update skip locked);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from sign_in_tries
  where counter in (
    select counter from sign_in_tries where tried_at <= now() - interval '1 hour'
    limit p_limit
    for update skip locked);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from form_answers
  where (session_id, key) in (
    select session_id, key from form_answers
    where created_at <= now() - interval '24 hours'
    limit p_limit
    for update skip locked);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from session_writes
  where session_id in (
    select session_id from session_writes where free_at <= now()
    limit p_limit
    for update skip locked);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from hook_runs
  where event_id in (
    select event_id from hook_runs
    where state = 'done' and finished_at <= now() - interval '30 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_count = row_count;
  v_total := v_total + v_count;

  delete from maintenance_runs
  where id in (
    select id from maintenance_runs
    where finished_at <= now() - interval '7 days'
    order by finished_at
    limit p_limit);
  get diagnostics v_count = row_count;
  return v_total + v_count + purge_deliveries(p_limit);
end;
$$;
grant execute on function panel.purge to panel_worker;
