-- Records what the machine has of the server's settings, at the end of an operation: nothing if it
-- was undone.
create or replace function panel.complete_server(p_id uuid, p_change jsonb)
returns void
language sql volatile strict security definer
as $$
  update server
  set
    trusted_proxies = case
      when not p_change ? 'trusted_proxies' then trusted_proxies
      else array(
        select distinct entry from jsonb_array_elements_text(p_change -> 'trusted_proxies') entry
        order by entry)
    end,
    php_version = case
      when not p_change ? 'php_version' then php_version
      else p_change ->> 'php_version'
    end,
    mail_relay = case
      when not p_change ? 'mail_relay' then mail_relay
      else nullif(p_change -> 'mail_relay', 'null')
    end,
    mail = case
      when not p_change ? 'mail' then mail
      else nullif(p_change -> 'mail', 'null')
    end
  where p_change ?| array['trusted_proxies', 'php_version', 'mail_relay', 'mail'];
  -- The machine may have none of the accounts' mailboxes, as after a restore.
  select apply_mail_accounts() where p_change ->> 'mail' is not null;
$$;
grant execute on function panel.complete_server to panel_worker;
