-- Returns the state of a website and its account for an operation, for its undo. Null if the
-- operation may not start yet.
create or replace function panel.find_site(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select find_account(p_id) || coalesce((
    select jsonb_build_object('settings', s.settings)
    from operations o
    join sites s on s.id::text = o.params ->> 'site_id' and s.account_id = o.account_id
    where o.id = p_id), '{}');
$$;
grant execute on function panel.find_site to panel_worker;
