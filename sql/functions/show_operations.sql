-- Operations as pages show them, the newest first: those that the caller asked for or that concern
-- an account that it sees; of one account or one operation only where that is named.  Why one has
-- failed is for those who see all.
create or replace function panel.show_operations(
  p_caller text,
  p_sees_all boolean,
  p_seller_id bigint,
  p_account_id bigint,
  p_id uuid,
  p_of_account bigint,
  p_limit integer
)
returns table (
  id uuid,
  name text,
  state text,
  username text,
  asked_by text,
  -- The sentence of a refusal, or why it has failed.
  error text,
  created_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz
)
-- Planned for what is asked: most of the filter is null.
language plpgsql stable security definer set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
  select o.id, o.name,
    case
      when o.is_cancelled then 'cancelled'
      when o.state = 'done' and o.status >= 400 then 'refused'
      else o.state
    end,
    o.username, coalesce(o.caller_words, 'the panel'),
    case
      when o.status >= 400 and not o.is_sealed
        then convert_from(o.body, 'UTF8')::jsonb ->> 'error'
      when p_sees_all then nullif(concat_ws('; its undo failed: ', o.error, o.undo_error), '')
    end,
    o.created_at, o.started_at, o.finished_at
  from operations o
  where o.state <> 'claimed'
    and (p_id is null or o.id = p_id)
    -- In the words of the indexes of what has ended, what is under way and what is parked.
    and (p_of_account is null
      or o.account_id = p_of_account and o.state in ('done', 'failed')
      or o.lane = p_of_account and o.state in ('queued', 'running', 'undoing')
      or o.lane = p_of_account and o.state = 'parked')
    and (p_sees_all or o.caller = p_caller or exists (
      select from accounts a
      where a.id = o.account_id and (a.seller_id = p_seller_id or a.id = p_account_id)))
  order by o.created_at desc, o.id
  limit p_limit;
end;
$$;
grant execute on function panel.show_operations to panel_api;
