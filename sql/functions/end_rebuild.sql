-- Ends the operations that a rebuild has done, and gives all others that share its job a job of
-- their own, in one transaction.  `p_results` says of each that was started its epoch, whether it
-- is done and what differed; a start that came later takes it out of our hands.
create or replace function panel.end_rebuild(p_job_id bigint, p_results jsonb)
returns void
language plpgsql volatile security definer
as $$
declare
  v_accounts bigint[];
  v_id       bigint;
  v_left     uuid;
begin
  v_accounts := array(
    select o.account_id
    from operations o
    where o.queue_job_id = p_job_id and o.state in ('queued', 'running', 'undoing'));
  perform from accounts a where a.id = any (v_accounts) order by a.id for no key update;

  update operations o
  set differed = case when o.differed = '{}' then r.differed else o.differed end,
    state = case when r.is_done then 'done' else o.state end,
    -- Who is left was not interrupted.
    starts = case when r.is_done then o.starts else 0 end,
    status = case when r.is_done then 200 end,
    -- No request asked for it, so nobody reads the answer.
    body = case when r.is_done then '{}'::bytea end,
    finished_at = case when r.is_done then now() end
  from jsonb_to_recordset(p_results)
    as r (id uuid, epoch integer, is_done boolean, differed text[])
  where o.id = r.id and o.epoch = r.epoch and o.state = 'running'
    and o.queue_job_id = p_job_id;

  for v_id in
    select distinct o.account_id
    from operations o
    where o.state = 'parked' and o.account_id = any (v_accounts)
  loop
    perform promote_parked(v_id);
  end loop;

  for v_left in
    select o.id
    from operations o
    where o.queue_job_id = p_job_id and o.state in ('queued', 'running', 'undoing')
    order by o.account_id
  loop
    perform enqueue_operation(v_left);
  end loop;
end;
$$;
grant execute on function panel.end_rebuild to panel_worker;
