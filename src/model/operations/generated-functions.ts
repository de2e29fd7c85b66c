import { noticeFunctions } from '../notices/notice-functions.ts'
import { packageFunctions } from '../sellers/package-functions.ts'
import { planFunctions } from '../sellers/plan-functions.ts'
import { reservedUsernames } from '../grammar/reserved-names.ts'
import type { ResourceKind } from './resource-kind.ts'
import { resourceKinds } from './resource-kinds.ts'

// SQL functions that are generated from lists in the code; `migrate` installs them before all
// others. Those for resources treat every kind alike, so that a new kind changes none of them.

const isReserved = `
create function panel.is_reserved(p_name text) returns boolean language sql immutable
as $$ select p_name = any ('{${[...reservedUsernames].join()}}') $$;`

const kinds: readonly ResourceKind[] = resourceKinds
const tables = kinds.flatMap(kind => kind.tables)

const listAdded = `
-- Lists the rows that requests have added to accounts and that no operation has completed yet.
create function panel.list_added()
returns table (added_by uuid, account_id bigint, desired text)
language sql stable
as $$
  ${tables
    .map(
      table => `select t.added_by, t.account_id, t.desired from panel.${table} t
  where t.added_by is not null`,
    )
    .join('\n  union all\n  ')}
$$;`

const restoreResources = `
-- Restores the values that an operation found when it started, whatever it is about; once the
-- operation is over, also deletes the rows that were added for it. Each kind keeps what does not
-- belong to this operation. The callers hold the lane lock.
create function panel.restore_resources(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  ${kinds
    .flatMap(({ restore = [] }) => restore)
    .map(own => `perform ${own}(p_id, p_is_over);`)
    .join('\n  ')}
end;
$$;`

const completeResources = `
-- Completes the rows of an account when an operation has ended and the machine agrees with them:
-- added rows become the account's own, and rows to be deleted are deleted. \`p_id\` is null if the
-- operation was undone; \`p_may_wait\` means that changes were deferred because a service is down.
create function panel.complete_resources(
  p_id uuid, p_account_id bigint, p_is_terminated boolean, p_may_wait boolean)
returns void
language plpgsql volatile
as $$
begin
  ${kinds.map(completeOf).join('\n  ')}
end;
$$;`

// Skips the statement unless rows change: for most accounts none do.
function completeOf({ tables, complete }: ResourceKind): string {
  if (complete !== undefined) {
    return `perform ${complete}(p_id, p_account_id, p_is_terminated, p_may_wait);`
  }
  return tables
    .map(
      table => `if exists (
    select from ${table}
    where account_id = p_account_id and (added_by = p_id or desired = 'absent' or p_is_terminated)
  ) then
    update ${table} set added_by = null
    where account_id = p_account_id and added_by = p_id and desired = 'present';
    delete from ${table}
    where account_id = p_account_id and (desired = 'absent' or p_is_terminated);
  end if;`,
    )
    .join('\n  ')
}

const records = kinds.flatMap(({ record = [] }) => record)
const secretRows = kinds.flatMap(({ secretRows = [] }) => secretRows)

const accountRecord = `
-- Returns one account as answers show it and the worker validates it, without its password hash. It
-- has its caller's rights and no settings, so that PostgreSQL inlines it: called, it would take
-- three times as long.
create function panel.account_record(p_account_id bigint)
returns table (record json)
language sql stable rows 1
as $$
  select json_build_object(
    'id', a.id::text,
    'sellerId', a.seller_id::text,
    -- Null in the server's own catalogue.
    'seller', (
      select o.name from panel.operators o where o.seller_id = a.seller_id and o.role = 'reseller'),
    'uid', a.uid,
    'username', a.username,
    'email', a.email,
    'reference', a.reference,
    'desired', a.desired,
    'state', a.state,
    'isApplied', a.is_applied,
    -- Shared services report their state now, however long ago the account's own warnings were
    -- found.
    'warnings', a.warnings
      ${kinds.flatMap(({ warnings = [] }) => warnings.map(one => `|| ${one}`)).join('\n      ')},
    'suspendReason', a.suspend_reason,
    'suspendedBy', a.suspended_by,
    -- These two are desired; this is the actual state.
    'suspension', case when a.state = 'suspended' then coalesce(
      a.suspension_before,
      jsonb_build_object('reason', a.suspend_reason, 'by', a.suspended_by)) end,
    'suspendedAt', a.suspended_at,
    'createdAt', a.created_at,
    ${records.map(({ key }) => `'${key}', coalesce("${key}".rows, '[]'),`).join('\n    ')}
    'package', panel.package_record(p))
  from panel.accounts a
  join panel.packages p on p.id = a.package_id
  cross join panel.server v
  ${records.map(({ key, sql }) => `cross join lateral (${sql}) as "${key}" (rows)`).join('\n  ')}
  where a.id = p_account_id;
$$;
grant execute on function panel.account_record to panel_api, panel_worker;

-- Returns the rows of an account's resources that only the worker reads, by their kinds; null for a
-- kind without any. \`p_may_wait\` means that changes to services that are down may be deferred.
create function panel.secret_parts(p_account_id bigint, p_may_wait boolean default false)
returns json
language plpgsql stable security definer
as $$
begin
  return (
    select json_build_object(
      ${secretRows.map(({ key, sql }) => `'${key}', (${sql})`).join(',\n      ')})
    from accounts a
    where a.id = p_account_id);
end;
$$;
grant execute on function panel.secret_parts to panel_worker;`

/** The statements that create these functions. */
export const generatedFunctions =
  isReserved +
  noticeFunctions +
  packageFunctions +
  planFunctions +
  accountRecord +
  listAdded +
  restoreResources +
  completeResources
