-- Returns the bytes of an event that are signed, sent and given to hook scripts: those stored with
-- it and its number as the last field.  Null while it has no number; they never change afterwards.
create or replace function panel.event_body(p_event panel.events)
returns bytea
language sql immutable
as $$
  select case p_event.sequence
    when 0 then p_event.body
    else substring(p_event.body for octet_length(p_event.body) - 1)
      || convert_to(',"sequence":' || p_event.sequence || '}', 'UTF8')
  end;
$$;
grant execute on function panel.event_body to panel_api, panel_worker, panel_courier;
