-- Records the answer of a request that needs no work on the machine: a refusal, or a change of
-- rows that its own transaction has made.
create or replace function panel.answer_operation(
  p_id uuid,
  p_status integer,
  p_body bytea,
  p_location text,
  p_is_sealed boolean
)
returns void
language sql volatile security definer
set search_path = panel, pg_temp
as $$
  update operations
  set state = 'done', status = p_status, body = p_body, location = p_location,
    is_sealed = p_is_sealed, finished_at = now()
  where id = p_id and state = 'claimed';
$$;

revoke execute on function panel.answer_operation from public;
grant execute on function panel.answer_operation to panel_api;
