-- Claims a request's Idempotency-Key for the transaction that calls it (api.md, Idempotency).  The
-- race between two callers of one key is decided by the unique constraint: the second one waits
-- for the first one's short transaction and then sees what it left.
--
-- `outcome` is new, done (with the recorded answer), running or mismatch.
create or replace function panel.claim_operation(
  p_token_id bigint,
  p_key text,
  p_fingerprint bytea,
  out id uuid,
  out outcome text,
  out status integer,
  out body bytea,
  out location text,
  out is_sealed boolean,
  -- Whatever ends the operation that begins now has a higher one.
  out epoch integer
)
language plpgsql volatile security definer
set search_path = panel, pg_temp
as $$
declare
  v_row operations%rowtype;
begin
  loop
    insert into operations as o (token_id, key, fingerprint)
    values (p_token_id, p_key, p_fingerprint)
    on conflict (token_id, key) do nothing
    returning o.id, o.epoch into id, epoch;
    if found then
      outcome := 'new';
      return;
    end if;

    select * into v_row
    from operations o
    where o.token_id = p_token_id and o.key = p_key
    for no key update;
    -- Not found: purged between the two statements, so the key is free again.
    exit when found;
  end loop;

  id := v_row.id;
  if v_row.state = 'failed' then
    -- As new, with any body: the failed try has left nothing, or what this one will converge.
    update operations o
    set state = 'claimed', fingerprint = p_fingerprint, wants = '{}', found = null, name = null,
      account_id = null, username = null, queue_job_id = null, due_at = now(), arrival = default,
      starts = 0, error = null, steps = null, is_cancelled = false, created_at = now(),
      started_at = null, finished_at = null
    where o.id = v_row.id;
    epoch := v_row.epoch;
    outcome := 'new';
  elsif v_row.state = 'done' and v_row.created_at <= now() - interval '24 hours' then
    -- Another request under an old key: it gets an id of its own, the old record ends here.
    delete from operations o where o.id = v_row.id;
    insert into operations as o (token_id, key, fingerprint)
    values (p_token_id, p_key, p_fingerprint)
    returning o.id, o.epoch into id, epoch;
    outcome := 'new';
  elsif v_row.fingerprint <> p_fingerprint then
    outcome := 'mismatch';
  elsif v_row.state = 'done' then
    outcome := 'done';
    status := v_row.status;
    body := v_row.body;
    location := v_row.location;
    is_sealed := v_row.is_sealed;
  else
    outcome := 'running';
  end if;
end;
$$;

revoke execute on function panel.claim_operation from public;
grant execute on function panel.claim_operation to panel_api;
