-- Restores an account's mail to its state before an operation: what was added is deleted from the
-- machine, and rows that never reached the machine are deleted at once. Internal:
-- restore_resources calls it.
create or replace function panel.restore_mail(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
declare
  v_operation  operations%rowtype;
  v_params     jsonb;
  v_before     jsonb;
  v_is_applied boolean;
begin
  select * into v_operation from operations where id = p_id;
  if v_operation.name not like 'mail%' and not p_is_over then
    -- A restore has created them again.
    update mailboxes set desired = 'absent' where added_by = p_id and desired = 'present';
    return;
  end if;
  v_params := v_operation.params;
  v_before := v_operation.before;
  if not p_is_over then
    update mail_domains
    set desired = case when added_by is null then 'present' else 'absent' end,
      catch_all = case when v_before ? 'catch_all' then v_before ->> 'catch_all' else catch_all end
    where id::text = v_params ->> 'domain_id' and account_id = v_operation.account_id;
    update mailboxes m
    set desired = case when m.added_by is null then 'present' else 'absent' end,
      hash = coalesce(v_before ->> 'hash', m.hash),
      quota_mb = coalesce((v_before ->> 'quota_mb')::integer, m.quota_mb),
      autoresponder = case
        when v_before ? 'autoresponder' then nullif(v_before -> 'autoresponder', 'null')
        else m.autoresponder
      end,
      filters = coalesce(v_before -> 'filters', m.filters)
    where m.id::text = v_params ->> 'mailbox_id' and m.account_id = v_operation.account_id;
    update mail_aliases x
    set desired = case when x.added_by is null then 'present' else 'absent' end,
      targets = coalesce((
        select array_agg(one order by place)
        from jsonb_array_elements_text(nullif(v_before -> 'targets', 'null'))
          with ordinality s (one, place)), x.targets)
    where x.id::text = v_params ->> 'alias_id' and x.account_id = v_operation.account_id;
    return;
  end if;
  -- The machine may still have something of one whose add was begun by another operation.
  v_is_applied := (select is_applied from accounts where id = v_operation.account_id);
  if not v_is_applied then
    update mail_aliases set desired = 'absent' where added_by = p_id and desired = 'reserved';
    update mailboxes set desired = 'absent' where added_by = p_id and desired = 'reserved';
    update mail_domains set desired = 'absent' where added_by = p_id and desired = 'reserved';
  end if;
  delete from mail_aliases where added_by = p_id and desired = 'reserved';
  delete from mailboxes where added_by = p_id and desired = 'reserved';
  delete from mail_domains where added_by = p_id and desired = 'reserved';
end;
$$;
