-- The latest hook runs are found without reading all others, and so are those, and deliveries, that
-- did not succeed.
create index deliveries_stopped on panel.deliveries (webhook_id, created_at)
  where state not in ('due', 'delivered');
create index hook_runs_ended on panel.hook_runs (created_at) where state = 'done';
create index hook_runs_stopped on panel.hook_runs (event_id)
  where error is not null or is_cancelled;
create index script_runs_failed on panel.script_runs (event_id)
  where outcome in ('failed', 'timed_out', 'refused') and not is_repeated;
-- By the name that an event has: its account may be gone, and what root tells of may have none.
drop index panel.events_account;
create index events_username on panel.events ((data ->> 'username'));
