-- Returns the database that is open in Adminer for the browser with this cookie, while it lasts,
-- and its MariaDB user. Its use is recorded once a minute, which extends it.
create or replace function panel.find_adminer_session(
  p_hash bytea,
  out database text,
  out username text
)
returns setof record
language plpgsql volatile strict security definer
as $$
declare
  v_last_seen timestamptz;
begin
  select d.name, 'panel_' || d.id, s.last_seen_at into database, username, v_last_seen
  from adminer_sessions s
  join databases d on d.id = s.database_id
  where s.cookie_hash = p_hash and s.used_at is not null and is_open_in_adminer(s.database_id);
  if not found then
    return;
  end if;
  if v_last_seen < now() - interval '1 minute' then
    update adminer_sessions set last_seen_at = now() where cookie_hash = p_hash;
  end if;
  return next;
end;
$$;
grant execute on function panel.find_adminer_session to panel_api;
