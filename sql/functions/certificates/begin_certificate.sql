-- Begins root's next step for an account's certificates (`certificate/request` or
-- `certificate/install`) in the account's lane. A step that already waits for its turn will process
-- everything that is due by then. Internal: the callers hold the account's row lock.
create or replace function panel.begin_certificate(p_account_id bigint, p_name text)
returns void
language plpgsql volatile
as $$
begin
  if exists (
    select from operations
    where lane = p_account_id and name = p_name and state in ('blocked', 'queued')
  ) then
    return;
  end if;
  perform begin_internal(p_account_id, p_name);
end;
$$;
