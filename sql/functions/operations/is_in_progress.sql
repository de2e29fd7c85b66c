-- Returns whether an operation exists and has not ended. Internal.
create or replace function panel.is_in_progress(p_id uuid)
returns boolean
language sql stable
as $$
  select exists (select from operations where id = p_id and state not in ('done', 'failed'));
$$;
