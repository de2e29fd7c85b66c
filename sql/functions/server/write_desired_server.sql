-- Returns the values that the machine should have for an operation of the server: those that it
-- asks for, or, once it is being undone, those of the row. The row gets them when the machine has
-- them (complete_server). The worker validates them. Volatile: it reads the state that its own
-- statement has just written.
create or replace function panel.write_desired_server(p_id uuid)
returns json
language sql volatile strict security definer
as $$
  select json_build_object(
    'trusted_proxies', case
      when o.state <> 'running' then to_jsonb(s.trusted_proxies)
      when o.params ? 'proxies' then o.params -> 'proxies'
      else (
        select coalesce(jsonb_agg(distinct e.entry order by e.entry), '[]')
        from (
          select unnest(s.trusted_proxies) as entry
          union select jsonb_array_elements_text(coalesce(o.params -> 'added', '[]'))
        ) e
        where not coalesce(o.params -> 'removed', '[]') ? e.entry)
    end,
    'php_version', case
      when o.state = 'running' and o.params ? 'php_version' then o.params -> 'php_version'
      else to_jsonb(s.php_version)
    end,
    'service', o.params -> 'service',
    'until', o.params -> 'until',
    'passphrase', o.params -> 'passphrase',
    'messages', o.params -> 'messages',
    'mail_relay', case
      when o.state = 'running' and o.params ? 'mail_relay' then o.params -> 'mail_relay'
      else s.mail_relay
    end,
    'mail', case
      when o.state = 'running' and o.params ? 'mail' then o.params -> 'mail'
      else s.mail
    end)
  from operations o, server s
  where o.id = p_id;
$$;
grant execute on function panel.write_desired_server to panel_worker;
