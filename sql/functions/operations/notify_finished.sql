-- Notifies listeners that an operation has ended, by its id and epoch and nothing else: every role
-- that can connect may listen. Readers fetch the row, which their privileges protect. Internal.
create or replace function panel.notify_finished(p_id uuid)
returns void
language sql volatile
as $$
  select pg_notify('operation_finished', o.id || ' ' || o.epoch)
  from operations o
  where o.id = p_id;
$$;
