-- Adds the rows of an account that is to be created, with its first website if it has one.
-- `taken` names what somebody else has: username or domain; then nothing is added.
create or replace function panel.create_account(
  p_seller_id bigint,
  p_package_id bigint,
  p_username text,
  p_email text,
  p_password_hash text,
  p_domain text,
  out id bigint,
  out taken text
)
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_constraint text;
begin
  insert into accounts as a (seller_id, package_id, username, email, password_hash)
  select p_seller_id, p.id, p_username, p_email, p_password_hash
  from packages p
  where p.id = p_package_id and p.seller_id = p_seller_id
  returning a.id into strict create_account.id;

  if p_domain is not null then
    with site as (
      insert into sites (account_id, domain) values (create_account.id, p_domain) returning sites.id
    )
    insert into site_names (name, site_id)
    select name, site.id from site, unnest(array[p_domain, 'www.' || p_domain]) as name;
  end if;
exception
  when unique_violation then
    get stacked diagnostics v_constraint = constraint_name;
    id := null;
    taken := case v_constraint
      when 'accounts_username' then 'username'
      when 'site_names_pkey' then 'domain'
    end;
    if taken is null then
      raise;
    end if;
end;
$$;

revoke execute on function panel.create_account from public;
grant execute on function panel.create_account to panel_api;
