-- Records the desired state of a mail domain, a mailbox or an alias in the lane of its account, for
-- a started operation, and returns the account for the worker. An invalid value changes nothing:
-- the API's role may have sent anything. A domain that has got a mailbox meanwhile stays.
create or replace function panel.write_desired_mail(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
  v_params    jsonb;
begin
  select * into v_operation from operations where id = p_id;
  v_params := v_operation.params;
  if v_operation.state = 'running' and not is_suspended_by_admin(p_id) then
    -- Ids as text: a row may hold anything.
    case v_operation.name
      when 'mail/add-domain' then
        update mail_domains set desired = 'present' where added_by = p_id and desired = 'reserved';
      when 'mail/set-domain' then
        update mail_domains
        set catch_all = v_params ->> 'catch_all'
        where id::text = v_params ->> 'domain_id' and account_id = v_operation.account_id
          and v_params ? 'catch_all'
          and (v_params ->> 'catch_all' is null or is_mail_target(v_params ->> 'catch_all'));
      when 'mail/remove-domain' then
        update mail_domains d
        set desired = 'absent'
        where d.id::text = v_params ->> 'domain_id' and d.account_id = v_operation.account_id
          and not exists (
            select from mailboxes m where m.domain_id = d.id and m.desired <> 'reserved');
      when 'mail/add-mailbox' then
        update mailboxes set desired = 'present' where added_by = p_id and desired = 'reserved';
      when 'mail/set-password', 'mail/set-mailbox' then
        update mailboxes m
        set hash = coalesce(
            substring(v_params ->> 'hash' from '^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$'), m.hash),
          quota_mb = case
            when v_params ->> 'quota_mb' ~ '^[1-9][0-9]{0,6}$'
              then (v_params ->> 'quota_mb')::integer
            else m.quota_mb
          end,
          autoresponder = case
            when jsonb_typeof(v_params -> 'autoresponder') = 'null' then null
            when is_mail_autoresponder(v_params -> 'autoresponder')
              then v_params -> 'autoresponder'
            else m.autoresponder
          end,
          filters = case
            when is_mail_filters(v_params -> 'filters') then v_params -> 'filters'
            else m.filters
          end
        where m.id::text = v_params ->> 'mailbox_id' and m.account_id = v_operation.account_id;
      when 'mail/remove-mailbox' then
        update mailboxes
        set desired = 'absent'
        where id::text = v_params ->> 'mailbox_id' and account_id = v_operation.account_id;
      when 'mail/set-alias' then
        update mail_aliases x
        set desired = 'present',
          targets = coalesce((
            select array_agg(one order by place)
            from jsonb_array_elements_text(v_params -> 'targets') with ordinality s (one, place)
            having bool_and(is_mail_target(one)) and count(*) <= 50), x.targets)
        where x.id::text = v_params ->> 'alias_id' and x.account_id = v_operation.account_id;
      when 'mail/remove-alias' then
        update mail_aliases
        set desired = 'absent'
        where id::text = v_params ->> 'alias_id' and account_id = v_operation.account_id;
      else null;
    end case;
  end if;
  return write_desired_account(p_id)::jsonb || jsonb_build_object(
    'domainId', v_params ->> 'domain_id',
    'mailboxId', v_params ->> 'mailbox_id',
    'aliasId', v_params ->> 'alias_id');
end;
$$;
grant execute on function panel.write_desired_mail to panel_worker;
