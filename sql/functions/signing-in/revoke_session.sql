-- Ends any user's session for an administrator's session. Returns false if it has ended, or if the
-- caller's is not an administrator's.
create or replace function panel.revoke_session(p_id bigint, p_by bigint, p_address inet)
returns boolean
language plpgsql volatile security definer
as $$
begin
  return exists (
      select from sessions own join operators w on w.id = own.operator_id
      where own.id = p_by and w.role = 'administrator')
    and end_session(p_id, p_by, p_address);
end;
$$;
grant execute on function panel.revoke_session to panel_api;
