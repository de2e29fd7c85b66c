-- Applies an account again, whose mail domain has become active or pending. Internal: the caller
-- holds the lane lock.
create or replace function panel.apply_mail_account(p_account_id bigint)
returns void
language plpgsql volatile
as $$
begin
  if exists (
    select from accounts where id = p_account_id and state in ('active', 'suspended')) then
    perform begin_internal(p_account_id, 'account/apply');
  end if;
end;
$$;
