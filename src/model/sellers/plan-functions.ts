import { planLimits } from './plan-limits.ts'

// SQL functions that name the columns of the limits of plans (generated-functions.ts). How much the
// accounts of a seller exceed its plan is a JSON object of numbers by the limits' names.

const ofPackages = planLimits.flatMap(({ ofPackage, ...limit }) =>
  ofPackage === undefined ? [] : [{ ...limit, counts: ofPackage.counts }],
)
const list = (lines: readonly string[]) => lines.join(',\n    ')

const setPlanLimits = `
-- Writes the plan of a seller. Internal.
create function panel.set_plan_limits(p_id bigint, p_plan jsonb)
returns void
language sql volatile
as $$
  update panel.sellers
  set ${list(planLimits.map(({ name }) => `${name} = (p_plan ->> '${name}')::bigint`))}
  where id = p_id
$$;`

const packageOverrun = `
-- Returns by how much one account on a package would exceed its seller's plan, were it the only
-- one. Null without a plan. Internal: the callers hold the seller's row lock.
create function panel.package_overrun(p_package_id bigint)
returns jsonb
language sql stable
as $$
  select jsonb_build_object(
    ${list(ofPackages.map(({ name }) => `'${name}', greatest(p.${name} - s.${name}, 0)`))})
  from panel.packages p
  join panel.sellers s on s.id = p.seller_id
  where p.id = p_package_id and s.max_accounts is not null
$$;`

const measureOverrun = `
-- Returns by how much a seller's accounts exceed its plan: in total, or summed over the accounts
-- with more than one may have. With an account and a package: as if that account had that package.
-- Null without a plan. Internal: the callers hold the seller's row lock, so that two requests
-- cannot both take the last slot.
--
-- Always counted from rows, including creates and package changes in progress.
create function panel.measure_overrun(
  p_seller_id bigint, p_account_id bigint default null, p_package_id bigint default null)
returns jsonb
language sql stable
as $$
  with own as (
    select a.id, a.package_id
    from panel.accounts a
    where a.seller_id = p_seller_id and a.state <> 'terminated'
  ), counted as (
    select id, package_id from own
    union
    -- Packages that a change in progress leads to, or back to if it fails.
    select own.id, concerned.package_id::bigint
    from own
    join panel.operations o on o.lane = own.id and o.state in ('blocked', 'queued', 'running')
    cross join lateral unnest(array[o.params ->> 'package_id', o.before ->> 'package_id'])
      as concerned (package_id)
    union
    select p_account_id, p_package_id
  ), largest as (
    select c.id,
    ${list(ofPackages.map(largestOf))}
    from counted c
    join panel.packages p on p.id = c.package_id
    group by c.id
  )
  select jsonb_build_object(
    'max_accounts', greatest(count(l.id) - s.max_accounts, 0),
    ${list(
      ofPackages.map(({ name, limits }) =>
        limits === 'total'
          ? `'${name}', greatest(coalesce(sum(l.${name}), 0) - s.${name}, 0)`
          : `'${name}', coalesce(sum(greatest(l.${name} - s.${name}, 0)), 0)`,
      ),
    )})
  from panel.sellers s
  left join largest l on true
  where s.id = p_seller_id and s.max_accounts is not null
  group by s.id
$$;`

// A smaller package deletes nothing that an account has more of.
function largestOf({ name, counts }: (typeof ofPackages)[number]): string {
  if (counts === undefined) return `max(p.${name}) as ${name}`
  const rows = `(select count(*) from panel.${counts.table} t where t.account_id = c.id)`
  return `greatest(max(p.${name}), ${rows}) as ${name}`
}

const describeExcess = `
-- Returns which limit of a plan is exceeded further than before, as its name (\`limit\`) and its
-- value (\`allowed\`); null if none is. A value that exceeds the plan already, because the plan
-- became smaller, may come nearer to it. Without \`p_before\` the plan was not exceeded. Internal.
create function panel.describe_excess(p_plan panel.sellers, p_now jsonb, p_before jsonb)
returns jsonb
language sql stable
as $$
  select jsonb_build_object('limit', e.name, 'allowed', to_jsonb(p_plan) -> e.name)
  from unnest(array[${planLimits.map(({ name }) => `'${name}'`)}])
    with ordinality e (name, position)
  where (p_now ->> e.name)::numeric > coalesce((p_before ->> e.name)::numeric, 0)
  order by e.position
  limit 1
$$;`

export const planFunctions = setPlanLimits + packageOverrun + measureOverrun + describeExcess
