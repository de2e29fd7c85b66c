-- Uses up a ticket to Adminer, once its database is open; returns false if it does not exist, was
-- used or has expired.
create or replace function panel.use_adminer_ticket(p_hash bytea)
returns boolean
language plpgsql volatile strict security definer
as $$
begin
  update adminer_sessions s
  set used_at = now(), last_seen_at = now()
  where s.ticket_hash = p_hash and s.used_at is null and is_open_in_adminer(s.database_id)
    and exists (select from operations o where o.id = s.opened_by and o.state = 'done');
  return found;
end;
$$;
grant execute on function panel.use_adminer_ticket to panel_api;
