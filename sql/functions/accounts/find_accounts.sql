-- Looks up many accounts in one round trip: returns the record of each, in order, null if its
-- caller sees none of that name.
create or replace function panel.find_accounts(
  p_usernames text[],
  -- The caller of each look-up (scopeOf in src/model/signing-in/callers.ts).
  p_sees_all boolean[],
  p_seller_ids bigint[],
  p_account_ids bigint[]
)
returns setof json
language sql stable security definer
-- For a few look-ups PostgreSQL would plan each time, which takes longer than they do.
set plan_cache_mode = force_generic_plan
as $$
  select found.record
  from unnest(p_usernames, p_sees_all, p_seller_ids, p_account_ids) with ordinality
    as w (username, sees_all, seller_id, account_id, position)
  left join lateral (
    select r.record
    from accounts a
    cross join lateral account_record(a.id) r
    where a.username = w.username and a.state <> 'terminated'
      and (w.sees_all or a.seller_id = w.seller_id or a.id = w.account_id)) found on true
  order by w.position;
$$;
grant execute on function panel.find_accounts to panel_api;
