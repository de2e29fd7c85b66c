-- Records finished attempts, and enqueues the retry of each that failed and was not the last, due
-- exactly 5 s or 30 s after the failure. Returns the current deliveries. Deliveries with another
-- epoch were taken by another courier since: nothing of them is recorded or returned. `ordinal`
-- numbers an attempt among the given ones, counted from 1.
create or replace function panel.record_attempts(
  p_ids uuid[],
  p_epochs integer[],
  p_durations_ms integer[],
  -- The time since each ended. All times are the database's, so a courier's wrong clock makes no
  -- retry early or late.
  p_agos_ms integer[],
  p_statuses integer[],
  -- Null if the attempt succeeded.
  p_errors text[],
  p_answers bytea[]
)
returns table (ordinal integer, state text, attempts integer, due_at timestamptz)
language plpgsql volatile security definer
as $$
#variable_conflict use_column
declare
  v_delays constant interval[] := array['5 seconds', '30 seconds'];
  v_now    constant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  return query
  with given as (
    select g.*, v_now - g.ago_ms * interval '1 ms' as ended_at
    from unnest(p_ids, p_epochs, p_durations_ms, p_agos_ms, p_statuses, p_errors, p_answers)
      with ordinality as g (id, epoch, duration_ms, ago_ms, status, error, answer, ordinal)
  ), ended as (
    update deliveries d
    set attempts = d.attempts + 1,
      state = case
        when g.error is null then 'delivered'
        when d.attempts + 1 < d.max_attempts then 'due'
        else 'failed'
      end,
      finished_at = case
        when g.error is null or d.attempts + 1 = d.max_attempts then g.ended_at
      end,
      epoch = d.epoch + 1,
      due_at = case
        when g.error is null or d.attempts + 1 = d.max_attempts then d.due_at
        else g.ended_at + v_delays[d.attempts + 1]
      end,
      queue_job_id = case
        when g.error is null or d.attempts + 1 = d.max_attempts then d.queue_job_id
        else add_delivery_job(d.id, d.epoch + 1, g.ended_at + v_delays[d.attempts + 1])
      end
    from given g
    -- `state = 'due'` would make PostgreSQL scan all due deliveries.
    where d.id = g.id and d.epoch = g.epoch and d.finished_at is null
    -- A delivery may be given more than once, and one of them counts.
    returning g.ordinal, d.id, d.state, d.attempts, d.due_at
  ), kept as (
    insert into attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
    select e.id, e.attempts, g.ended_at - g.duration_ms * interval '1 ms', g.duration_ms, g.status,
      g.error, g.answer
    from ended e join given g on g.ordinal = e.ordinal
  )
  select e.ordinal::integer, e.state, e.attempts, e.due_at from ended e;
end;
$$;
grant execute on function panel.record_attempts to panel_courier;
