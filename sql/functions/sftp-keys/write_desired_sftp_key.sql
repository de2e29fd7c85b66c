-- Records the desired state of a public key in the lane of its account, for a started operation,
-- and returns the account for the worker. A key that is gone by now is not among its keys.
create or replace function panel.write_desired_sftp_key(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
begin
  select * into v_operation from operations where id = p_id;
  update sftp_keys
  set desired = case v_operation.name when 'sftp/add-key' then 'present' else 'absent' end
  -- As text: a row may hold anything.
  where id::text = v_operation.params ->> 'key_id'
    and account_id = v_operation.account_id and v_operation.state = 'running';
  return write_desired_account(p_id)::jsonb
    || jsonb_build_object('keyId', v_operation.params ->> 'key_id');
end;
$$;
grant execute on function panel.write_desired_sftp_key to panel_worker;
