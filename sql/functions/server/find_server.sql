-- Returns the state of the server for one of its operations that starts. Null if the operation may
-- not start yet.
create or replace function panel.find_server(p_id uuid)
returns jsonb
language sql stable strict security definer
as $$
  select jsonb_build_object('trusted_proxies', s.trusted_proxies, 'php_version', s.php_version,
    'mail_relay', s.mail_relay, 'mail', s.mail)
  from operations o, server s
  where o.id = p_id and o.state in ('queued', 'running', 'undoing');
$$;
grant execute on function panel.find_server to panel_worker;
