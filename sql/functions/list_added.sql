-- The rows that requests have added to what accounts have, and that no operation has made the
-- account's own yet.  Internal.
create or replace function panel.list_added()
returns table (added_by uuid, account_id bigint, wanted text)
language sql stable
as $$
  select s.added_by, s.account_id, s.wanted from sites s where s.added_by is not null
  union all
  select k.added_by, k.account_id, k.wanted from sftp_keys k where k.added_by is not null
  union all
  select d.added_by, d.account_id, d.wanted from databases d where d.added_by is not null
  union all
  select u.added_by, u.account_id, u.wanted from database_users u where u.added_by is not null;
$$;
