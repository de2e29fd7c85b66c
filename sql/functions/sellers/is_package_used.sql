-- Returns whether an account has a package, or would get it by a change in progress, or get it back
-- if that fails. Internal: the callers hold the package's row lock.
create or replace function panel.is_package_used(p_package_id bigint)
returns boolean
language sql stable
as $$
  select exists (
      select from accounts where package_id = p_package_id and state <> 'terminated')
    or exists (
      select from operations
      where state in ('blocked', 'queued', 'running', 'undoing')
        and p_package_id::text in (params ->> 'package_id', before ->> 'package_id'));
$$;
