-- Returns the wait after this many failed attempts in a row: 5 minutes, 15 minutes, 1 hour, 6
-- hours, then daily for 7 days, and then null, except for a renewal. An authority accepts five
-- failures of a name in an hour; these are three.
create or replace function panel.certificate_pause(p_attempts integer, p_is_served boolean)
returns interval
language sql immutable
as $$
  select case
    when p_attempts <= 4
      then (array['5 minutes', '15 minutes', '1 hour', '6 hours'])[p_attempts]::interval
    when p_attempts <= 11 or p_is_served then interval '1 day'
  end;
$$;
grant execute on function panel.certificate_pause to panel_courier, panel_worker;
