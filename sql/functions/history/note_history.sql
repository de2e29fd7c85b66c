-- Records who made a change that is not an operation, in the transaction of the change. The account
-- and the seller that it concerns see it: the caller's own if none is given.
create or replace function panel.note_history(
  -- In the form of describe_caller.
  p_caller text,
  p_address inet,
  p_action text,
  p_about text,
  p_account_id bigint default null,
  p_seller_id bigint default null
)
returns void
language plpgsql volatile security definer
as $$
declare
  v_caller record;
begin
  select * into strict v_caller from describe_caller(p_caller);
  insert into history (channel, who, role, address, action, about, account_id, seller_id)
  values (
    case split_part(p_caller, ':', 1)
      when 'token' then 'api' when 'root' then 'cli' else 'page' end,
    v_caller.words, v_caller.role, p_address, p_action, left(p_about, 500),
    coalesce(p_account_id, v_caller.account_id),
    coalesce(
      p_seller_id, (select a.seller_id from accounts a where a.id = p_account_id),
      v_caller.seller_id));
end;
$$;
grant execute on function panel.note_history to panel_api;
