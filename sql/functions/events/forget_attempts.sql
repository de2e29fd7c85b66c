-- Cancels the counting of a right attempt by begin_sign_in: the name's wrong attempts are
-- forgotten; the address's stay, or a user with an account could go on guessing at others.
create or replace function panel.forget_attempts(p_name text, p_address inet, p_browser text)
returns void
language plpgsql volatile security definer
as $$
declare
  v_own     bytea := sha256(convert_to(
    coalesce('browser:' || p_browser || ':' || p_name, 'name:' || p_name), 'UTF8'));
  v_address bytea := sha256(convert_to('address:' || network(set_masklen(p_address,
    case family(p_address) when 6 then 64 else 32 end)), 'UTF8'));
begin
  delete from sign_in_attempts where counter = v_own;
  if p_browser is null then
    delete from sign_in_attempts
    where counter = sha256(convert_to(network_counter(p_name, p_address), 'UTF8'));
    delete from sign_in_attempts where counter = v_address and failures = 1;
    update sign_in_attempts set failures = failures - 1 where counter = v_address and failures > 1;
  end if;
end;
$$;
grant execute on function panel.forget_attempts to panel_api;
