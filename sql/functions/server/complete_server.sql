-- Records what the machine has of the server's settings, at the end of an operation: nothing if it
-- was undone.
create or replace function panel.complete_server(p_id uuid, p_change jsonb)
returns void
language sql volatile strict security definer
as $$
  update server
  set trusted_proxies = array(
    select distinct entry from jsonb_array_elements_text(p_change -> 'trusted_proxies') entry
    order by entry)
  where p_change ? 'trusted_proxies';
$$;
grant execute on function panel.complete_server to panel_worker;
