-- Stores the disk usage of databases, and applies it: a database that has grown while its account
-- is full is frozen, and unfrozen once its account has a tenth of its space free again. The
-- kernel's limit of the home is reduced by the size of the databases, in steps of a sixty-fourth of
-- the package, so that a small change has no effect, and never below the size of the home.
create or replace function panel.record_database_sizes(p_names text[], p_bytes bigint[])
returns void
language plpgsql volatile security definer
as $$
declare
  v_row      record;
  v_accounts bigint[] := '{}';
  v_ids      bigint[];
  v_reserves integer[];
begin
  update databases d
  set bytes = m.bytes, measured_at = now()
  from unnest(p_names, p_bytes) m (name, bytes)
  where d.name = m.name;

  insert into disk_usage as u (account_id, bytes, measured_at, database_bytes)
  select d.account_id, 0, now(), sum(d.bytes)
  from databases d
  group by d.account_id
  on conflict (account_id) do update set database_bytes = excluded.database_bytes
  where u.database_bytes <> excluded.database_bytes;
  update disk_usage u
  set database_bytes = 0
  where u.database_bytes <> 0
    and not exists (select from databases d where d.account_id = u.account_id);

  for v_row in
    select d.id, d.name, d.account_id, a.seller_id, s.is_over, s.has_room,
      d.frozen_at is not null as is_frozen, d.bytes, d.fitted_bytes
    from databases d
    join accounts a on a.id = d.account_id
    join packages p on p.id = a.package_id
    join disk_usage u on u.account_id = a.id
    cross join lateral (
      select u.bytes + u.database_bytes > p.disk_mb * 1048576::bigint as is_over,
        u.bytes + u.database_bytes < p.disk_mb * 943718::bigint as has_room) s
    where d.desired = 'present' and a.state in ('active', 'suspended')
      and case
        when d.frozen_at is not null then s.has_room
        when s.is_over then d.bytes > d.fitted_bytes
        else d.bytes <> d.fitted_bytes
      end
    order by d.account_id, d.id
  loop
    if v_row.is_frozen or v_row.is_over then
      update databases
      set frozen_at = case when v_row.is_frozen then null else now() end,
        fitted_bytes = case when v_row.is_frozen then bytes else fitted_bytes end
      where id = v_row.id;
      insert into history (channel, who, action, about, account_id, seller_id)
      values (
        'panel', 'panel',
        case when v_row.is_frozen then 'database/thaw' else 'database/freeze' end,
        v_row.name, v_row.account_id, v_row.seller_id);
      v_accounts := v_accounts || v_row.account_id;
    else
      update databases set fitted_bytes = bytes where id = v_row.id;
    end if;
  end loop;

  select array_agg(d.id), array_agg(d.reserve_mb) into v_ids, v_reserves
  from (
    select a.id, a.database_reserve_mb, greatest(0, least(
      floor(u.database_bytes / 1048576.0 / s.step) * s.step,
      p.disk_mb - ceil(u.bytes / 1048576.0)))::integer as reserve_mb
    from accounts a
    join packages p on p.id = a.package_id
    join disk_usage u on u.account_id = a.id
    cross join lateral (select greatest(1, p.disk_mb / 64) as step) s
    where a.state in ('active', 'suspended')
      and (u.database_bytes > 0 or a.database_reserve_mb > 0)) d
  where d.database_reserve_mb <> d.reserve_mb;
  v_accounts := v_accounts || coalesce(v_ids, '{}');
  -- Several lanes are always locked in the order of their ids.
  perform from accounts a where a.id = any (v_accounts) order by a.id for no key update;
  update accounts a
  set database_reserve_mb = d.reserve_mb
  from unnest(v_ids, v_reserves) d (id, reserve_mb)
  where d.id = a.id;
  perform apply_accounts(v_accounts);
end;
$$;
grant execute on function panel.record_database_sizes to panel_worker;
