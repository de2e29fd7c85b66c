-- Records the answer of a claimed request that needs no work on the machine: a refusal, or a change
-- of rows in its own transaction. `p_account_id` is the account that it concerned, if any;
-- `p_username` the requested name, even if no account has it.
create or replace function panel.answer_operation(
  p_id uuid,
  p_name text,
  p_account_id bigint,
  p_username text,
  p_status integer,
  p_body bytea,
  p_location text,
  p_is_sealed boolean,
  -- The code of a refusal.
  p_reason text,
  -- The input that caused a refusal.
  p_field text
)
returns void
language sql volatile security definer
as $$
  update operations
  set state = 'done', status = p_status, body = p_body, location = p_location,
    is_sealed = p_is_sealed, reason = p_reason, field = p_field, finished_at = now(),
    account_id = p_account_id,
    name = (select n.name from operation_names n where n.name = p_name),
    username = p_username
  where id = p_id and state = 'claimed';
$$;
grant execute on function panel.answer_operation to panel_api;
