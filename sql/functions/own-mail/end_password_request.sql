-- Ends a request for a new password: its mail was sent, or there are no people to send one to.
create or replace function panel.end_password_request(p_id bigint)
returns void
language sql volatile security definer
as $$
  delete from password_requests where id = p_id;
$$;
grant execute on function panel.end_password_request to panel_courier;
