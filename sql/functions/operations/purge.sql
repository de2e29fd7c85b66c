-- Deletes up to this many expired rows of each kind, and returns how many: finished operations 24
-- hours after their request; expired sign-on links and sessions; after 30 days hook runs and
-- deliveries, after 7 days maintenance runs. Blocked, queued and running rows stay, however old.
-- Also deletes rows added outside the API for operations that never began.
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
  -- The API commits a claim only together with its outcome.
  for v_row in
    select distinct o.id, s.account_id
    from operations o
    left join list_added() s on s.added_by = o.id
    where o.state = 'claimed'
    limit p_limit
  loop
    continue when not lock_free_lane(v_row.account_id);
    update operations
    set state = 'failed', epoch = epoch + 1, error = 'It was never begun', finished_at = now()
    where id = v_row.id and state = 'claimed';
    if found then
      perform revert_desired_state(v_row.id, true);
      v_total := v_total + 1;
    end if;
  end loop;

  -- An operation that ended without the rows reserved for it was never about them.
  for v_row in
    select distinct s.added_by, s.account_id
    from list_added() s
    where s.desired = 'reserved' and not is_in_progress(s.added_by)
    limit p_limit
  loop
    continue when not lock_free_lane(v_row.account_id);
    -- A repeat may have begun it again.
    if not is_in_progress(v_row.added_by) then
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

  for v_row in
    values
      ('history', 'at', interval '1 year', 'true'),
      ('sign_ons', 'expires_at', '0', 'true'),
      ('sessions', 'expires_at', '0', 'true'),
      ('site_readings', 'asked_at', '1 hour', 'true'),
      ('notice_causes', 'ended_at', '30 days', 'ended_at is not null'),
      ('notice_mails', 'created_at', '30 days', $cond$state <> 'due'$cond$),
      ('failed_backups', 'failed_at', '30 days', 'true'),
      ('password_requests', 'requested_at', '1 hour', 'true'),
      ('mail_claims', 'claimed_at', '7 days', 'true'),
      ('password_links', 'created_at', '1 hour', 'true'),
      ('sign_in_attempts', 'tried_at', '1 hour', 'true'),
      ('form_answers', 'created_at', '24 hours', 'true'),
      ('session_writes', 'free_at', '0', 'true'),
      -- Conditions that match each index.
      ('hook_runs', 'finished_at', '30 days', $cond$state = 'done'$cond$),
      ('maintenance_runs', 'finished_at', '7 days', 'true')
  loop
    execute format('
      delete from %1$I
      where ctid = any (array(
        select ctid from %1$I where %2$I <= now() - $1 and %3$s
        order by %2$I
        limit $2
        for update skip locked))', v_row.column1, v_row.column2, v_row.column4)
    using v_row.column3, p_limit;
    get diagnostics v_count = row_count;
    v_total := v_total + v_count;
  end loop;
  return v_total + purge_deliveries(p_limit);
end;
$$;
grant execute on function panel.purge to panel_worker;
