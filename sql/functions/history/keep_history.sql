-- Records finished operations before their rows are deleted. Internal.
create or replace function panel.keep_history(p_ids uuid[])
returns void
language sql volatile
as $$
  insert into history (
    at, channel, who, role, address, action, about, subject, account_id, seller_id, outcome, reason,
    operation_id, cause)
  select o.created_at,
    case
      when o.token_id is not null then 'api'
      when o.session_id is not null then 'page'
      when o.key is not null then 'cli'
      else 'panel'
    end,
    coalesce(o.caller_words, w.name || ', token ' || t.name, 'panel'), o.caller_role, o.address,
    o.name, o.username, o.subject, o.account_id,
    coalesce(a.seller_id, w.seller_id, of_session.seller_id),
    case
      when o.is_cancelled then 'cancelled'
      when o.state = 'failed' then 'failed'
      when o.status >= 400 then 'refused'
      else 'done'
    end,
    o.reason, o.id, o.cause
  from operations o
  left join accounts a on a.id = o.account_id
  left join tokens t on t.id = o.token_id
  left join operators w on w.id = t.operator_id
  left join sessions s on s.id = o.session_id
  left join operators of_session on of_session.id = s.operator_id
  -- A request that was refused before it was parsed has no name.
  where o.id = any (p_ids) and o.state in ('done', 'failed') and o.name is not null
  order by o.created_at;
$$;
