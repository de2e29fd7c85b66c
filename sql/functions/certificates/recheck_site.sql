-- Has the worker read the .htaccess files of a website's account, and the courier recheck now where
-- its names point, and order if they point here; or returns why not: `none` if this server gets no
-- certificates, `busy` if one is being ordered, and `ordered` if an authority has just refused one.
create or replace function panel.recheck_site(p_site_id bigint)
returns text
language plpgsql volatile security definer
as $$
declare
  v_certificate certificates%rowtype;
begin
  perform lock_lane(s.account_id), ask_for_rules(s.account_id) from sites s where s.id = p_site_id;
  select * into v_certificate from certificates c where c.site_id = p_site_id for no key update;
  if not found or not (select v.issues_certificates from server v) then
    return 'none';
  elsif v_certificate.step <> 'order' or v_certificate.due_at <= now() then
    return 'busy';
  -- An authority accepts five failures of a name in an hour (certificate_pause).
  elsif v_certificate.ordered_at > now() - interval '20 minutes' then
    return 'ordered';
  end if;
  update certificates c
  set due_at = now(), refused = '{}',
    attempts = case when c.ordered_at > now() - interval '1 hour' then c.attempts else 0 end
  where c.site_id = p_site_id;
  perform enqueue_certificate(p_site_id);
  return null;
end;
$$;
grant execute on function panel.recheck_site to panel_api;
