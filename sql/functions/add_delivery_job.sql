-- Adds the job that wakes a courier for a delivery; tells the job's id.  Internal.
create or replace function panel.add_delivery_job(
  p_id uuid,
  -- The job's key is new with each epoch: a finished job that is not yet deleted would swallow a
  -- second job of the same key.
  p_epoch integer,
  -- Of a retry; without one the job is due now.
  p_run_at timestamptz default null
)
returns bigint
language plpgsql volatile
set search_path = panel, pg_temp
as $$
begin
  return (
    select j.id
    from courier_queue.add_job(
      identifier => 'webhook/deliver',
      payload => json_build_object('deliveryId', p_id),
      -- In the far past, so that a clock set back delays nothing.
      run_at => coalesce(p_run_at, '2000-01-01 00:00:00+00'),
      -- A retry goes first: it is due at a moment, the others as soon as there is room.
      priority => case when p_run_at is null then 0 else -1 end,
      -- Crashes cost attempts: out of reach, because a delivery counts its own tries.
      max_attempts => 32767,
      job_key => 'delivery:' || p_id || ':' || p_epoch,
      job_key_mode => 'unsafe_dedupe') j);
end;
$$;

revoke execute on function panel.add_delivery_job from public;
