-- Begins an operation for each of these accounts that makes the machine agree with its rows again.
-- Those whose lane is free share one job, which carries them out together; who has something under
-- way has its own operation's turn after that, and one that waits already does the same.  Accounts
-- that are coming, going or gone are left out.
create or replace function panel.rebuild_accounts(p_account_ids bigint[])
returns table (operation uuid, username text)
language plpgsql volatile security definer
as $$
declare
  v_ids  bigint[];
  v_free bigint[];
  v_job  bigint;
  v_id   bigint;
begin
  v_ids := array(
    select a.id
    from accounts a
    where a.id = any (p_account_ids) and a.state in ('active', 'suspended')
    order by a.id
    for no key update);
  v_free := array(
    select unnest(v_ids)
    except
    select o.lane
    from operations o
    where o.state in ('parked', 'queued', 'running', 'undoing'));

  for v_id in
    select unnest(v_ids)
    except select unnest(v_free)
    except select o.lane from operations o
      where o.name = 'account/apply' and o.state in ('parked', 'queued')
  loop
    perform begin_internal(v_id, 'account/apply');
  end loop;

  if cardinality(v_free) > 0 then
    v_job := add_worker_job('maintenance/rebuild', '{}');
    insert into operations (name, account_id, username, state, epoch, queue_job_id)
    select 'account/apply', a.id, a.username, 'queued', 1, v_job
    from accounts a
    where a.id = any (v_free);
  end if;

  return query
    update operations o
    set differed = coalesce(o.differed, '{}')
    where o.lane = any (v_ids) and o.name = 'account/apply'
      and o.state in ('parked', 'queued')
    returning o.id, o.username;
end;
$$;
grant execute on function panel.rebuild_accounts to panel_worker;
