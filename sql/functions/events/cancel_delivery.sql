-- Cancels a delivery without an attempt in flight. Returns `cancelled`, or why not: `begun` or
-- `ended`; null if there is no such delivery.
create or replace function panel.cancel_delivery(p_id uuid)
returns text
language plpgsql volatile security definer
as $$
declare
  v_row deliveries%rowtype;
begin
  select * into v_row from deliveries where id = p_id for no key update;
  if not found then
    return null;
  elsif v_row.state <> 'due' then
    return 'ended';
  end if;

  -- Without its job no attempt begins. If a courier has the job, or fetches it at this moment, the
  -- delivery may have been sent.
  if not v_row.is_blocked then
    perform courier_queue.complete_jobs(array[v_row.queue_job_id]);
    if exists (select from courier_queue.jobs j where j.id = v_row.queue_job_id) then
      return 'begun';
    end if;
  end if;
  update deliveries
  set state = 'cancelled', epoch = epoch + 1, finished_at = now()
  where id = p_id;
  return 'cancelled';
end;
$$;
grant execute on function panel.cancel_delivery to panel_api;
