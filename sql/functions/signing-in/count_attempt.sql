-- Counts an attempt to sign in before it is checked, so that parallel guesses gain nothing, and
-- returns 0; or the seconds after which the next one is checked: past `p_free` wrong ones each wait
-- is twice the one before it, up to 15 minutes, until there was none for an hour. Internal.
create or replace function panel.count_attempt(p_counter text, p_free integer)
returns integer
language plpgsql volatile strict
as $$
declare
  v_now constant timestamptz := clock_timestamp();
begin
  insert into sign_in_attempts as t values (sha256(convert_to(p_counter, 'UTF8')), 1, v_now)
  on conflict (counter) do update
  set failures = case
      when t.tried_at <= v_now - interval '1 hour' then 1
      else t.failures + 1
    end,
    tried_at = v_now
  where t.failures < p_free
    or t.tried_at + interval '1 second' * least(900, 2 ^ least(t.failures - p_free, 10)) <= v_now;
  if found then
    return 0;
  end if;
  return greatest(1, wait_of_attempts(p_counter, p_free));
end;
$$;
