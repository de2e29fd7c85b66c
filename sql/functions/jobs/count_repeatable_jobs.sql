-- Counts those of these jobs that have failed and can be retried: that retry_operation, redeliver
-- and retry_hook_run would not refuse now.
create or replace function panel.count_repeatable_jobs(
  p_requests uuid[], p_deliveries uuid[], p_hook_runs bigint[]
) returns integer
language sql stable security definer
as $$
  select (
    (select count(*) from operations o
     left join operation_names n on n.name = o.name
     left join accounts a on a.id = o.account_id
     where o.id = any (p_requests) and case o.state
       when 'failed' then o.key is null and n.is_repeatable and a.state in ('active', 'suspended')
       else o.state in ('running', 'undoing') and o.due_at > now() end)
    + (select count(*) from deliveries d
       join webhooks w on w.id = d.webhook_id
       where d.id = any (p_deliveries) and d.state in ('failed', 'cancelled')
         and w.removed_at is null)
    + (select count(*) from hook_runs r
       where r.event_id = any (p_hook_runs) and r.state = 'done'
         and (r.error is not null or not all_scripts_succeeded(r.event_id)))
  )::integer
$$;

grant execute on function panel.count_repeatable_jobs to panel_api;
