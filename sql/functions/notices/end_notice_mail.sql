-- Records the outcome of an attempt: `p_error` is null if the relay has accepted the mail.
create or replace function panel.end_notice_mail(p_id uuid, p_error text)
returns void
language sql volatile security definer
as $$
  update notice_mails
  set state = case when p_error is null then 'sent' else state end, error = p_error
  where id = p_id;
$$;
grant execute on function panel.end_notice_mail to panel_courier;
