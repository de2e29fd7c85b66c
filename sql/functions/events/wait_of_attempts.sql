-- Returns the seconds until the next attempt is checked, with this many free: 0 if it is checked at
-- once. Nothing is counted. Internal.
create or replace function panel.wait_of_attempts(p_counter text, p_free integer)
returns integer
language sql volatile strict
as $$
  select coalesce(max(greatest(0, ceil(
    extract(epoch from t.tried_at - clock_timestamp())
      + least(900, 2 ^ least(t.failures - p_free, 10))))), 0)::integer
  from sign_in_attempts t
  where t.counter = sha256(convert_to(p_counter, 'UTF8')) and t.failures >= p_free
    and t.tried_at > clock_timestamp() - interval '1 hour';
$$;
