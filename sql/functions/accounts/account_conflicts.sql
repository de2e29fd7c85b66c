-- Returns each value of an account to be created that it cannot have: reference, username and
-- domain, or for the last a result of domain_conflict.sql; `reference_of` is the account that has
-- the reference.  A caller without the lock of create_account.sql may miss what another is adding.
create or replace function panel.account_conflicts(
  p_seller_id bigint,
  p_username text,
  p_domain text,
  p_reference text,
  p_is_root boolean,
  out conflicts text[],
  out reference_of text
)
language plpgsql stable security definer
as $$
declare
  v_domain text := domain_conflict(null, p_domain, p_is_root);
begin
  -- First, since a create that is repeated under another key returns whose it is.
  select a.username into reference_of
  from accounts a
  where a.seller_id = p_seller_id and a.reference = p_reference and a.state <> 'terminated';
  if reference_of is not null then
    conflicts := array['reference'];
  end if;

  -- Operators and accounts sign in by their names.
  if exists (select from operators o where o.name = p_username)
    or exists (
      select from accounts a where a.username = p_username and a.state <> 'terminated') then
    conflicts := conflicts || 'username'::text;
  end if;

  if exists (select from site_names n where n.name in (p_domain, 'www.' || p_domain)) then
    v_domain := 'domain';
  end if;
  conflicts := array_remove(conflicts || v_domain, null);
end;
$$;
grant execute on function panel.account_conflicts to panel_api;
