-- One account as answers show it and as the worker judges it, without its password hash.  It has
-- its caller's rights and no settings, so that PostgreSQL makes it a part of the caller's
-- statement: called, it would take three times as long.
create or replace function panel.account_record(p_account_id bigint)
returns table (record json)
language sql stable rows 1
as $$
  select json_build_object(
    'id', a.id::text,
    'sellerId', a.seller_id::text,
    -- Null in the server's own catalogue.
    'seller', (
      select o.name from panel.owners o where o.seller_id = a.seller_id and o.role = 'reseller'),
    'uid', a.uid,
    'username', a.username,
    'email', a.email,
    'reference', a.reference,
    'wanted', a.wanted,
    'state', a.state,
    'isApplied', a.is_applied,
    -- Of the services that all share what is now, however long ago the account's own were found.
    'warnings', a.warnings
      || case when s.sites is not null and v.websites_warning is not null
        then jsonb_build_object('code', 'websites_down', 'sentence', v.websites_warning)
        else '[]' end
      || case when p.sftp and v.sftp_warning is not null
        then jsonb_build_object('code', 'sftp_down', 'sentence', v.sftp_warning)
        else '[]' end
      || case when v.databases_warning is not null and exists (
          select from panel.databases d where d.account_id = a.id)
        then jsonb_build_object('code', 'databases_down', 'sentence', v.databases_warning)
        else '[]' end
      || case when exists (
          select from panel.databases d where d.account_id = a.id and d.frozen_at is not null)
        then jsonb_build_object(
          'code', 'databases_frozen',
          'sentence', 'The disk is full: nothing can be written to its databases until it has room')
        else '[]' end,
    'suspendReason', a.suspend_reason,
    'suspendedBy', a.suspended_by,
    -- These two say what is desired, this what is.
    'suspension', case when a.state = 'suspended' then coalesce(
      a.suspension_before,
      jsonb_build_object('reason', a.suspend_reason, 'by', a.suspended_by)) end,
    'suspendedAt', a.suspended_at,
    'createdAt', a.created_at,
    'package', panel.package_record(p),
    'sites', coalesce(s.sites, '[]'),
    'sftpKeys', coalesce(k.keys, '[]'))
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  cross join panel.server v
  cross join lateral (
    select json_agg(
      json_build_object(
        'id', s.id::text, 'domain', s.domain, 'ssl', s.ssl, 'isHttpsOnly', s.https_only,
        'servesSources', s.serves_sources, 'wanted', s.wanted, 'isNew', s.added_by is not null)
      order by s.id) as sites
    from panel.sites s
    where s.account_id = a.id) s
  cross join lateral (
    select json_agg(
      json_build_object('id', k.id::text, 'key', k.key, 'wanted', k.wanted) order by k.id) as keys
    from panel.sftp_keys k
    where k.account_id = a.id) k
  where a.id = p_account_id;
$$;
grant execute on function panel.account_record to panel_api, panel_worker;
