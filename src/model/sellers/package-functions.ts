import { countLimits, limits, recordKey } from './package-limits.ts'

// SQL functions that name the columns of the limits of packages (generated-functions.ts).

const packageRecord = `
-- Returns the package of an account's record. It has its caller's rights and no settings, so that
-- PostgreSQL inlines it in account_record, and that in other statements.
create function panel.package_record(p_package panel.packages)
returns json
language sql stable
as $$
  select json_build_object(
    'name', p_package.name,
    ${limits.map(({ name }) => `'${recordKey(name)}', p_package.${name}`).join(',\n    ')})
$$;
grant execute on function panel.package_record to panel_api, panel_worker;`

const setPackageLimits = `
-- Writes limits of a package; a limit that is null or left out keeps its value. Internal.
create function panel.set_package_limits(p_id bigint, p_limits jsonb)
returns void
language sql volatile
as $$
  update panel.packages p
  set ${limits
    .map(({ name, range, list, choices }) => {
      if (list !== undefined) {
        // The list is extracted from an array alone: where another transaction has just changed the
        // package, PostgreSQL computes it even if its branch is not taken.
        return `${name} = case when jsonb_typeof(p_limits -> '${name}') = 'array'
      then array(select jsonb_array_elements_text(
        case jsonb_typeof(p_limits -> '${name}')
          when 'array' then p_limits -> '${name}' else '[]'
        end))
      else p.${name}
    end`
      }
      const type = choices ? 'text' : range === undefined ? 'boolean' : 'integer'
      return `${name} = coalesce((p_limits ->> '${name}')::${type}, p.${name})`
    })
    .join(',\n    ')},
    updated_at = now()
  where p.id = p_id
$$;`

const exceededCount = `
-- Returns a table in which an account has more rows than a package allows, and the number that it
-- allows; null if there is none. Internal: the callers hold the lane lock.
create function panel.exceeded_count(
  p_account_id bigint, p_package_id bigint, out counted text, out max_count integer)
language sql stable
as $$
  select c.counted, c.max_count
  from panel.packages p
  cross join lateral (values
    ${countLimits
      .map(
        ({ name, counts: { table } }) => `('${table}', p.${name},
      (select count(*) from panel.${table} t where t.account_id = p_account_id))`,
      )
      .join(',\n    ')}
  ) c (counted, max_count, current)
  where p.id = p_package_id and c.max_count < c.current
  limit 1
$$;`

export const packageFunctions = packageRecord + setPackageLimits + exceededCount
