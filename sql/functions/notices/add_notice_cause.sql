-- Adds a cause and a notice of it for each person who is to get one: the account's customer and the
-- operators who offer it; without an account all administrators; or only `p_operator_id`. People
-- choose for themselves which kinds they get. Does nothing while the same cause lasts. Internal.
create or replace function panel.add_notice_cause(
  p_kind text,
  p_key text,
  p_account_id bigint,
  p_content jsonb,
  -- Whether only this person gets it: the account's customer, or the operator.
  p_is_personal boolean default false,
  p_operator_id bigint default null
)
returns void
language plpgsql volatile
as $$
declare
  v_id bigint;
begin
  insert into notice_causes (kind, key, account_id, content)
  values (p_kind, p_key, p_account_id, p_content)
  on conflict (kind, key) where ended_at is null do nothing
  returning id into v_id;
  if v_id is null then
    return;
  end if;
  insert into notices (cause_id, operator_id, account_id)
  select v_id, p.operator_id, p.account_id
  from (
    select o.id as operator_id, null::bigint as account_id, o.role
    from operators o
    where case
        when p_is_personal then o.id = p_operator_id
        when p_account_id is null then o.role = 'administrator'
        else o.seller_id = (select a.seller_id from accounts a where a.id = p_account_id)
      end
    union all
    select null, a.id, 'customer'
    from accounts a
    where a.id = p_account_id and a.state = 'active') p
  left join notice_choices c on c.kind = p_kind
    and (c.operator_id = p.operator_id or c.account_id = p.account_id)
  -- A kind that does not concern the role has no default.
  where is_notice_default(p_kind, p.role) is not null
    and coalesce(c.is_chosen, is_notice_default(p_kind, p.role));
end;
$$;
