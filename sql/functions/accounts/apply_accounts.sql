-- Begins an operation for each of these accounts that makes the machine agree with its rows again,
-- unless one waits for its turn already. Accounts that are being created, terminated or gone are
-- left out; returns the others. Internal.
create or replace function panel.apply_accounts(p_account_ids bigint[])
returns bigint[]
language plpgsql volatile
as $$
declare
  v_ids bigint[];
  v_id  bigint;
begin
  -- Several lanes are always locked in the order of their ids.
  v_ids := array(
    select a.id
    from accounts a
    where a.id = any (p_account_ids) and a.state in ('active', 'suspended')
    order by a.id
    for no key update);

  for v_id in
    select unnest(v_ids)
    except select o.lane from operations o
      where o.name = 'account/apply' and o.state in ('blocked', 'queued')
    order by 1
  loop
    perform begin_internal(v_id, 'account/apply');
  end loop;
  return v_ids;
end;
$$;
