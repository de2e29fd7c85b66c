-- Lists the jobs that do the work again which was retried in one transaction, by its time: new
-- deliveries, runs of hook scripts, and operations of the same lane. `state` is `waiting`, `done`
-- or `failed`.
create or replace function panel.list_retried(p_at timestamptz)
returns table (id text, task text, account text, state text, error text)
language sql stable strict security definer
as $$
  with retried as (
    select distinct h.about,
      case when h.about ~ '^[0-9a-f-]{36}$' then h.about::uuid end as uuid,
      substring(h.about from '^hook:([0-9]{1,18})$')::bigint as event_id
    from history h
    where h.at = p_at and h.action in ('job/retry', 'delivery/redeliver')
  )
  select d.id::text, 'webhook/deliver', e.data ->> 'username',
    case d.state when 'due' then 'waiting' when 'delivered' then 'done' else 'failed' end,
    (select t.error from attempts t where t.delivery_id = d.id order by t.number desc limit 1)
  from retried r
  join deliveries d on d.redelivery_of = r.uuid and d.created_at = p_at
  join events e on e.id = d.event_id
  union all
  select 'hook:' || u.event_id, 'hook/run', e.data ->> 'username',
    case
      when u.state <> 'done' then 'waiting'
      when u.error is null and all_scripts_succeeded(u.event_id) then 'done'
      else 'failed'
    end,
    u.error
  from retried r
  join hook_runs u on u.event_id = r.event_id
  join events e on e.id = u.event_id
  union all
  select n.id::text, n.name, n.username,
    case
      when n.state not in ('done', 'failed') then 'waiting'
      when n.state = 'done' and n.status < 400 then 'done'
      else 'failed'
    end,
    n.error
  from retried r
  join operations o on o.id = r.uuid
  cross join lateral (
    select * from operations l
    where (l.id = o.id and o.state <> 'failed')
      or (o.state = 'failed' and l.lane = o.lane and l.name = o.name and l.id <> o.id
        and (l.finished_at is null or l.finished_at >= p_at))
    order by l.created_at
    limit 1) n;
$$;
grant execute on function panel.list_retried to panel_api;
