-- Counts an attempt to sign in, and returns the hash to compare its password with: of the operator
-- of that name, else of the account, and none if there is neither. A browser that has signed in as
-- this name before (`p_browser`) has a counter of its own, and so does an address without a wrong
-- attempt, so that guesses from elsewhere do not lock its user out.
-- With `p_email` the name is that of the counters alone, and the user is the one with that e-mail
-- address: none, if several have it.
create or replace function panel.begin_sign_in(
  p_name text,
  p_address inet,
  p_browser text,
  p_email text default null,
  -- The number of seconds to wait; null if the attempt is checked.
  out wait_s integer,
  out operator_id bigint,
  out account_id bigint,
  out password_hash text,
  out epoch integer,
  -- The role of the session that the right password opens.
  out role text,
  out is_suspended boolean,
  out has_factor boolean,
  out needs_factor boolean,
  -- The address of a suspended account's reseller; null in the server's own catalogue.
  out contact text
)
language plpgsql volatile security definer
as $$
declare
  -- One IPv6 customer has at least a /64.
  v_address constant text := 'address:' || network(set_masklen(p_address,
    case family(p_address) when 6 then 64 else 32 end));
  v_is_new  boolean;
  v_name    text;
begin
  if p_browser is not null then
    wait_s := count_attempt('browser:' || p_browser || ':' || p_name, 5);
  else
    -- An attempt that waits for one of the two counts for neither, so that a waiting address makes
    -- no other user wait, and there are no more rows than checked attempts.
    wait_s := coalesce(wait_of_attempts(v_address, 20), 0);
    if wait_s = 0 then
      v_is_new := not exists (
        select from sign_in_attempts
        where counter = sha256(convert_to(v_address, 'UTF8'))
          and tried_at > clock_timestamp() - interval '1 hour');
      wait_s := count_attempt('name:' || p_name, 5);
      if wait_s > 0 and v_is_new then
        -- Attackers have addresses by the thousand, in fewer networks: each network has one free
        -- attempt.
        wait_s := least(wait_s, count_attempt(network_counter(p_name, p_address), 1));
      end if;
    end if;
    if wait_s = 0 then
      wait_s := coalesce(count_attempt(v_address, 20), 0);
    end if;
  end if;
  if wait_s > 0 then
    return;
  end if;
  wait_s := null;
  v_name := case when p_email is null then p_name else (
    select min(u.name)
    from (
      select o.name from operators o where lower(o.email) = p_email
      union all
      select a.username from accounts a
      where lower(a.email) = p_email and a.state in ('active', 'suspended')
        and not exists (select from operators o where o.name = a.username)
      limit 2) u
    having count(*) = 1) end;
  select o.id, o.password_hash, o.credential_epoch, o.role, s.suspended_at is not null
  into operator_id, password_hash, epoch, role, is_suspended
  from operators o join sellers s on s.id = o.seller_id
  where o.name = v_name;
  if found then
    needs_factor := (select demands_second_factor from server);
  else
    select a.id, a.sign_in_hash, a.sign_on_epoch, 'customer', a.state = 'suspended', o.email
    into account_id, password_hash, epoch, role, is_suspended, contact
    from accounts a
    left join operators o on o.seller_id = a.seller_id and o.role = 'reseller'
    where a.username = v_name and a.state in ('active', 'suspended')
    limit 1;
    needs_factor := false;
  end if;
  has_factor := exists (
    select from second_factors f
    where (f.operator_id = begin_sign_in.operator_id or f.account_id = begin_sign_in.account_id)
      and f.confirmed_at is not null);
end;
$$;
grant execute on function panel.begin_sign_in to panel_api;
