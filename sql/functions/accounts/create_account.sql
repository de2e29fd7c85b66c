-- Adds the rows of an account to be created, with its first website if it has one; or adds nothing
-- and returns why: `refusal` is license, plan, package, or `conflicts`, which are those of
-- account_conflicts.sql; `detail` of a taken reference is the account that has it. `excess` is how
-- a plan would be exceeded. `p_license_accounts` is the number of accounts that the license permits
-- on this server.
create or replace function panel.create_account(
  p_seller_id bigint,
  p_package_id bigint,
  p_username text,
  p_email text,
  p_password_hash text,
  -- The same password, hashed for signing in to the pages.
  p_sign_in_hash text,
  p_domain text,
  p_license_accounts integer,
  -- The seller's own name for it.
  p_reference text default null,
  -- Whether the caller is root on the command line (domain_conflict.sql).
  p_is_root boolean default false,
  out id bigint,
  out refusal text,
  out conflicts text[],
  out detail text,
  out excess jsonb
)
language plpgsql volatile security definer
as $$
declare
  v_before jsonb;
begin
  -- The API has validated them with the same grammar: a row added outside the API must be valid for
  -- the worker, too.
  if (is_username(p_username) and is_email(p_email)
    and p_password_hash ~ '^\$(6|y)\$[./0-9A-Za-z$=]{1,197}$'
    and p_sign_in_hash like '$argon2id$%'
    and (p_domain is null or is_domain(p_domain))
    and (p_reference is null or is_reference(p_reference))) is not true then
    raise exception 'this is no account' using errcode = 'data_exception';
  end if;

  -- Concurrent creates cannot both take the last slot of the seller's plan or the license, nor two
  -- accounts a domain and one below it: each sees the commits of the one before.
  perform from sellers s where s.id = p_seller_id for no key update;
  v_before := measure_overrun(p_seller_id);
  perform pg_advisory_xact_lock(-3);

  select c.conflicts, c.reference_of into conflicts, detail
  from account_conflicts(p_seller_id, p_username, p_domain, p_reference, p_is_root) c;
  if conflicts <> '{}' then
    refusal := 'conflicts';
    return;
  end if;

  insert into accounts as a (
    seller_id, package_id, username, email, password_hash, sign_in_hash, reference)
  select p_seller_id, p.id, p_username, p_email, p_password_hash, p_sign_in_hash, p_reference
  from packages p
  where p.id = p_package_id and p.seller_id = p_seller_id
  returning a.id into strict create_account.id;

  if p_domain is not null then
    with site as (
      insert into sites (account_id, domain) values (create_account.id, p_domain)
      returning sites.id
    )
    insert into site_names (name, site_id)
    select name, site.id from site, unnest(array[p_domain, 'www.' || p_domain]) as name;
  end if;

  excess := plan_excess(p_seller_id, v_before);
  if excess is not null then
    raise exception using errcode = 'PLAN1';
  end if;
  if (select count(*) from accounts where state <> 'terminated') > p_license_accounts then
    raise exception using errcode = 'PLAN2';
  end if;
exception
  when no_data_found or foreign_key_violation then
    -- Deleted since the caller looked it up.
    id := null;
    refusal := 'package';
  when sqlstate 'PLAN1' then
    id := null;
    refusal := 'plan';
  when sqlstate 'PLAN2' then
    id := null;
    refusal := 'license';
    detail := 'The license permits ' || counted(p_license_accounts, 'account');
end;
$$;
grant execute on function panel.create_account to panel_api;
