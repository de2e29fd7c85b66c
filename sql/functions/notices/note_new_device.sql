-- Notifies a person of a sign-in from a browser that has not signed in as them before.
create or replace function panel.note_new_device(
  p_operator_id bigint,
  p_account_id bigint,
  p_address inet,
  p_browser text
)
returns void
language plpgsql volatile security definer
as $$
declare
  v_key text := gen_random_uuid();
begin
  perform add_notice_cause('sign-in', v_key, p_account_id, jsonb_build_object(
    'name', (
      select o.name from operators o where o.id = p_operator_id
      union all
      select a.username from accounts a where a.id = p_account_id),
    'at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
    'address', host(p_address), 'browser', p_browser), true, p_operator_id);
  -- It is over at once, so that the next one is another.
  update notice_causes set gone_since = now(), ended_at = now()
  where kind = 'sign-in' and key = v_key;
end;
$$;
grant execute on function panel.note_new_device to panel_api;
