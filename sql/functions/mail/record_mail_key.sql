-- Records the public DKIM key that the machine has for a mail domain.
create or replace function panel.record_mail_key(p_domain text, p_selector text, p_key text)
returns void
language sql volatile security definer
as $$
  update mail_domains
  set dkim_public_key = p_key
  where domain = p_domain and dkim_selector = p_selector
    and dkim_public_key is distinct from p_key;
$$;
grant execute on function panel.record_mail_key to panel_worker;
