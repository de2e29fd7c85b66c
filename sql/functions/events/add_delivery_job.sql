-- Adds the job that wakes a courier for a delivery; returns the job's id.  Internal.
create or replace function panel.add_delivery_job(
  p_id uuid,
  -- Part of the job's key, because a finished job that is not deleted yet would swallow a second
  -- one of the same key.
  p_epoch integer,
  -- When a retry is due; null means now.
  p_run_at timestamptz default null
)
returns bigint
language plpgsql volatile
as $$
begin
  return (
    select j.id
    from courier_queue.add_job(
      identifier => 'webhook/deliver',
      payload => json_build_object('deliveryId', p_id),
      -- In the far past, so that a clock set back delays nothing.
      run_at => coalesce(p_run_at, '2000-01-01 00:00:00+00'),
      -- A retry goes first: it is due at a moment, the others as soon as a slot is free.
      priority => case when p_run_at is null then 0 else -1 end,
      -- Crashes cost attempts, so there are as many as possible: deliveries count their own
      -- attempts.
      max_attempts => 32767,
      job_key => 'delivery:' || p_id || ':' || p_epoch,
      job_key_mode => 'unsafe_dedupe') j);
end;
$$;
