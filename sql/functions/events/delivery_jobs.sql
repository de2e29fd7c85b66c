-- Returns deliveries of webhooks as jobs (list_jobs.sql). `ran_ms` is the sum of the attempts,
-- without the waits between them.
create or replace function panel.delivery_jobs()
returns setof panel.run
language sql stable
as $$
  select 'delivery'::text as kind, d.id::text as id, 'webhook/deliver'::text as task, s.state,
    e.data ->> 'username' as account,
    case
      when e.is_test then 'a test of the webhook'
      when d.redelivery_of is not null then 'a redelivery of ' || d.redelivery_of
      else 'the event ' || e.name
    end as asked_by,
    d.attempts, d.created_at, case when d.finished_at is null then d.due_at end as due_at,
    y.started_at, d.finished_at,
    extract(epoch from coalesce(y.started_at, d.finished_at, now()) - d.created_at) * 1000
      as waited_ms,
    y.ran_ms::numeric as ran_ms, y.error, null::bytea as refusal,
    case when s.state = 'blocked' then (
      select p.id::text from deliveries p
      where p.webhook_id = d.webhook_id and p.state = 'due' and not p.is_blocked
      order by p.event_id
      limit 1) end as behind,
    -- Filter columns that match the indexes.
    d.id as uuid, d.event_id as number, d.state = 'due' as is_open,
    d.state <> 'due' as is_ended,
    concat_ws(' ', 'webhook/deliver', d.id, d.webhook_id, e.name, e.data ->> 'username', y.error)
      as words,
    null::bigint, null::bigint, null::text, d.webhook_id, d.state not in ('due', 'delivered')
  from deliveries d
  -- Left joins, so that PostgreSQL can leave them out of a statement that does not use them.
  left join events e on e.id = d.event_id
  cross join lateral (
    select case
        when d.state = 'delivered' then 'done'
        when d.state <> 'due' then d.state
        when d.is_blocked then 'blocked'
        when (select j.locked_at from courier_queue.jobs j where j.id = d.queue_job_id) is not null
          then 'running'
        else 'queued'
      end as state) s
  left join lateral (
    select min(y.started_at) as started_at, sum(y.duration_ms) as ran_ms,
      (array_agg(y.error order by y.number desc))[1] as error
    from attempts y where y.delivery_id = d.id) y on true;
$$;
