-- Has the courier send a link to choose a new password to the people of a name or an e-mail
-- address, if there are any: this function does not look, so that its time and its answer reveal
-- nothing. Returns 0, or the seconds after which the address may ask again.
create or replace function panel.request_password_link(p_entered text, p_address inet)
returns integer
language plpgsql volatile security definer
as $$
declare
  v_wait integer;
  v_id   bigint;
begin
  -- One IPv6 customer has at least a /64.
  v_wait := coalesce(count_attempt('password link of address:' || network(set_masklen(p_address,
    case family(p_address) when 6 then 64 else 32 end)), 10), 0);
  -- The second count is silent: it depends on what was typed, which others may have typed too.
  if v_wait > 0 or count_attempt('password link of:' || p_entered, 3) > 0 then
    return v_wait;
  end if;
  insert into password_requests (entered) values (p_entered) returning id into v_id;
  perform courier_queue.add_job(
    identifier => 'mail/send-password-link',
    payload => json_build_object('requestId', v_id::text),
    -- One after the other: guesses by the hundred must not delay notices or webhooks.
    queue_name => 'password-links',
    run_at => '2000-01-01 00:00:00+00',
    max_attempts => 6,
    job_key => 'password-link:' || v_id);
  return 0;
end;
$$;
grant execute on function panel.request_password_link to panel_api;
