-- Authenticates one call of a token and counts it, in one round trip: whether the token is known,
-- valid and used from an allowed address, whether its seller may act, and whether it is within the
-- requests of the last 60 seconds. Refused requests are not counted.
--
-- `verdict` is ok, unknown, address, suspended or limited; `reset_s` is the number of seconds after
-- which at least one more request is allowed, 0 if none was counted.
create or replace function panel.authenticate_call(
  p_hash bytea,
  p_address inet,
  p_limit integer,
  out verdict text,
  out token_id bigint,
  out operator_role text,
  out seller_id bigint,
  -- The token's permission; the caller decides which endpoints that reaches.
  out permission text,
  out remaining integer,
  out reset_s integer
)
language plpgsql volatile security definer
as $$
declare
  -- One clock for all API processes; seconds are what requests are counted by.
  v_now     bigint := floor(extract(epoch from clock_timestamp()));
  v_second  bigint;
  v_counts  smallint[];
  v_allowed cidr[];
  v_is_suspended boolean;
  v_used_at timestamptz;
  v_used    integer;
begin
  select t.id, o.role, o.seller_id, t.permission, t.allowed, s.suspended_at is not null,
    t.last_used_at
  into token_id, operator_role, seller_id, permission, v_allowed, v_is_suspended, v_used_at
  from tokens t
  join operators o on o.id = t.operator_id
  join sellers s on s.id = o.seller_id
  where t.hash = p_hash
    and t.revoked_at is null
    and (t.expires_at is null or t.expires_at > clock_timestamp())
    and t.credential_epoch = o.credential_epoch;

  if not found then
    verdict := 'unknown';
    return;
  end if;

  if v_allowed is not null and not coalesce(p_address <<= any (v_allowed), false) then
    verdict := 'address';
  elsif v_is_suspended then
    verdict := 'suspended';
  end if;

  select w.second, w.counts, w.used into v_second, v_counts, v_used
  from request_windows w where w.token_id = authenticate_call.token_id for no key update;
  -- A token that was only ever refused has not been used.
  if not found and verdict is null then
    insert into request_windows values (token_id, v_now, '{}', 0) on conflict do nothing;
    select w.second, w.counts, w.used into v_second, v_counts, v_used
    from request_windows w where w.token_id = authenticate_call.token_id for no key update;
  end if;

  -- After the clock is set back the window is unknown, so it is treated as empty.
  if v_second is null or abs(v_now - v_second) >= 60 then
    v_second := v_now;
    v_counts := '{}';
    v_used := 0;
  end if;
  -- Seconds have passed since the last call, and the oldest ones have left the window.
  v_now := greatest(v_now, v_second);
  if v_now > v_second then
    v_counts := array_fill(0::smallint, array[(v_now - v_second)::integer]) || v_counts;
    while cardinality(v_counts) > 60 or v_counts[cardinality(v_counts)] = 0 loop
      v_used := v_used - v_counts[cardinality(v_counts)];
      v_counts := trim_array(v_counts, 1);
    end loop;
  end if;

  if verdict is null and v_used >= p_limit then
    verdict := 'limited';
  elsif verdict is null then
    v_counts[1] := coalesce(v_counts[1], 0) + 1;
    v_used := v_used + 1;
    verdict := 'ok';
    update request_windows w set second = v_now, counts = v_counts, used = v_used
    where w.token_id = authenticate_call.token_id;
    -- The counters know the last use, until a crash empties them.
    if v_used_at is null or v_used_at < clock_timestamp() - interval '10 minutes' then
      update tokens t set last_used_at = clock_timestamp() where t.id = authenticate_call.token_id;
    end if;
  end if;

  remaining := p_limit - v_used;
  -- The oldest second with a request in it is the first to leave the window.
  reset_s := case v_used when 0 then 0 else 61 - cardinality(v_counts) end;
end;
$$;
grant execute on function panel.authenticate_call to panel_api;
