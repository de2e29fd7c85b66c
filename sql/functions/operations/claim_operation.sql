-- Claims a request's Idempotency-Key, which belongs to its caller, for the transaction that calls
-- it (specification, Idempotency rules), or only looks up what a claim would find. The race between
-- two callers of one key is decided by the unique constraint: the second one waits for the first
-- one's short transaction and then sees its result.
--
-- A repeat locks the row of a finished operation before any lane, since its lane is not known yet;
-- so a transaction that holds a lane lock must not wait for a finished operation.
--
-- `outcome` is new, done (with the recorded answer), running or mismatch. Only the owner of the
-- schema may call as root.
create or replace function panel.claim_operation(
  -- `token:7`, `session:9` or `root`.
  p_caller text,
  p_key text,
  p_fingerprint bytea,
  p_is_lookup boolean,
  -- The request as text; null for none.
  p_request text,
  -- The address of the caller; null if unknown.
  p_address inet,
  -- The subject from its write; null for none.
  p_subject text default null,
  out id uuid,
  out outcome text,
  out status integer,
  out body bytea,
  out location text,
  out is_sealed boolean,
  out reason text,
  out field text,
  -- Every end of the operation that begins now has a higher one.
  out epoch integer
)
language plpgsql volatile security definer
as $$
declare
  v_row     operations%rowtype;
  v_token   bigint := substring(p_caller from '^token:([0-9]+)$');
  v_session bigint := substring(p_caller from '^session:([0-9]+)$');
  v_role    text;
  v_words   text;
begin
  -- The session's role: inside this function, the current one is the owner's.
  if num_nonnulls(v_token, v_session) <> 1 and (p_caller <> 'root'
    or coalesce(nullif(current_setting('role'), 'none'), session_user) <> 'panel_owner') then
    raise exception 'no caller here is %', p_caller;
  end if;
  outcome := 'new';
  if not p_is_lookup then
    if v_token is not null then
      -- Like describe_caller, without the call: nearly all requests come this way.
      select w.role, w.name || ', token ' || t.name into v_role, v_words
      from tokens t join operators w on w.id = t.operator_id
      where t.id = v_token;
    else
      select c.role, c.words into v_role, v_words from describe_caller(p_caller) c;
    end if;
    -- The token or session does not exist.
    if not found then
      raise exception 'there is no caller %', p_caller;
    end if;
    insert into operations as o (
      token_id, session_id, key, fingerprint, caller_role, caller_words, request,
      address, subject)
    values (
      v_token, v_session, p_key, p_fingerprint, v_role, v_words, p_request, p_address, p_subject)
    on conflict do nothing
    returning o.id, o.epoch into id, epoch;
    if found then
      return;
    end if;
  end if;

  -- By the index of tokens or that of all others.
  select o.id into id from operations o where o.token_id = v_token and o.key = p_key
  union all
  select o.id from operations o
  where o.token_id is null and o.caller = p_caller and o.key = p_key;
  if p_is_lookup then
    select * into v_row from operations o where o.id = claim_operation.id;
  else
    select * into v_row from operations o where o.id = claim_operation.id for no key update;
    if not found then
      -- Purged between the two statements, so the key is free again.
      select c.* into id, outcome, status, body, location, is_sealed, reason, field, epoch
      from claim_operation(
        p_caller, p_key, p_fingerprint, false, p_request, p_address, p_subject) c;
      return;
    end if;
  end if;

  id := v_row.id;
  epoch := v_row.epoch;
  if v_row.id is null
    or v_row.state = 'failed'
    or v_row.state = 'done' and v_row.created_at <= now() - interval '24 hours' then
    if p_is_lookup then
      return;
    elsif v_row.state = 'failed' then
      perform keep_history(array[v_row.id]);
      -- Treat as a new request (any body): the failed attempt left nothing, or only what this one
      -- will converge.
      update operations o
      set state = 'claimed', fingerprint = p_fingerprint, params = '{}', before = null, name = null,
        account_id = null, is_server = false, username = null, queue_job_id = null, due_at = now(),
        arrival = default, starts = 0, error = null, undo_error = null, steps = null,
        earlier_starts = case
          when o.started_at is null then o.earlier_starts
          else with_last_start(o)
        end,
        is_cancelled = false, created_at = now(), started_at = null, finished_at = null,
        -- The caller's role and name may have changed since.
        caller_role = v_role, caller_words = v_words, request = p_request,
        address = p_address, subject = p_subject
      where o.id = v_row.id;
    else
      -- Another request under an old key: it gets a new id, and the old record ends here.
      perform keep_history(array[v_row.id]);
      delete from operations o where o.id = v_row.id;
      select c.* into id, outcome, status, body, location, is_sealed, reason, field, epoch
      from claim_operation(
        p_caller, p_key, p_fingerprint, false, p_request, p_address, p_subject) c;
    end if;
  elsif v_row.fingerprint <> p_fingerprint then
    outcome := 'mismatch';
  elsif v_row.state = 'done' then
    outcome := 'done';
    status := v_row.status;
    body := v_row.body;
    location := v_row.location;
    is_sealed := v_row.is_sealed;
    reason := v_row.reason;
    field := v_row.field;
  else
    outcome := 'running';
  end if;
end;
$$;
grant execute on function panel.claim_operation to panel_api;
