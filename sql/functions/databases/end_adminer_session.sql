-- Ends the Adminer session of the browser with this cookie; the sweeper closes the database.
create or replace function panel.end_adminer_session(p_hash bytea)
returns void
language plpgsql volatile strict security definer
as $$
begin
  update adminer_sessions set last_seen_at = '-infinity' where cookie_hash = p_hash;
end;
$$;
grant execute on function panel.end_adminer_session to panel_api;
