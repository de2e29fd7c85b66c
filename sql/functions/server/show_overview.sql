-- Returns the overview of the whole server for administrators.
create or replace function panel.show_overview()
returns jsonb
language sql stable security definer
as $$
  with ended as (
    select date_trunc('minute', finished_at) as minute,
      state = 'failed' and not is_cancelled as failed,
      extract(epoch from finished_at - created_at) * 1000 as ms
    from operations
    where state in ('done', 'failed') and finished_at > now() - interval '1 hour'
  )
  select jsonb_build_object(
    'accounts', a.all,
    'added', a.added,
    'suspended', a.suspended,
    'suspendedByAdministrators', a.suspended_by_administrators,
    'packages', (
      select count(*) from packages p join sellers s on s.id = p.seller_id and s.is_own),
    'used_tokens', (
      select count(*) from tokens where revoked_at is null and last_used_at is not null),
    'webhooks', (select count(*) from webhooks where removed_at is null),
    'waiting', (
      select count(*) from operations where state in ('blocked', 'queued')),
    'oldestMs', (
      select extract(epoch from now() - min(created_at)) * 1000
      from operations where state in ('blocked', 'queued')),
    'ended', t.ended,
    'failed', t.failed,
    'p50', t.percentiles[1],
    'p95', t.percentiles[2],
    'minutes', (
      select jsonb_agg(jsonb_build_object('at', m.minute, 'ended', m.ended, 'failed', m.failed)
        order by m.minute)
      from (
        select e.minute, count(*) as ended, count(*) filter (where e.failed) as failed
        from ended e group by e.minute) m),
    -- By the index on webhook and creation.
    'deliveries', (
      select jsonb_agg(
        jsonb_build_object('at', h.hour, 'delivered', h.delivered, 'failed', h.failed)
        order by h.hour)
      from (
        select date_trunc('hour', d.created_at) as hour,
          count(*) filter (where d.state = 'delivered') as delivered,
          count(*) filter (where d.state = 'failed') as failed
        from webhooks w join deliveries d on d.webhook_id = w.id
        where d.created_at > now() - interval '1 day'
        group by 1) h))
  from (
    select count(*) as all,
      count(*) filter (where created_at > now() - interval '7 days') as added,
      count(*) filter (where state = 'suspended') as suspended,
      count(*) filter (where state = 'suspended' and suspended_by = 'administrator')
        as suspended_by_administrators
    from accounts where state <> 'terminated') a, (
    select count(*) as ended, count(*) filter (where failed) as failed,
      percentile_cont(array[0.5, 0.95]) within group (order by ms) as percentiles
    from ended) t;
$$;
grant execute on function panel.show_overview to panel_api;
