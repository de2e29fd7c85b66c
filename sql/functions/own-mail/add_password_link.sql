-- Adds a link to choose a new password, for one of the people of a request; false if the request is
-- not about them any more.
create or replace function panel.add_password_link(
  p_request_id bigint,
  p_operator_id bigint,
  p_account_id bigint,
  -- SHA-256 of the link's secret.
  p_hash bytea
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  insert into password_links (hash, operator_id, account_id, epoch)
  select p_hash, p.operator_id, p.account_id, p.epoch
  from people_of_request(p_request_id) p
  where p.operator_id = p_operator_id or p.account_id = p_account_id;
  return found;
end;
$$;
grant execute on function panel.add_password_link to panel_courier;
