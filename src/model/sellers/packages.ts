import { z } from 'zod'
import { all, type Db, one, oneOrThrow, Sql, sql, oneFirst } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { leftOut, packageName } from '../grammar/grammar.ts'
import type { Caller } from '../signing-in/callers.ts'
import {
  byLimit,
  countLimits,
  type CountName,
  type LimitName,
  type Limits,
  limits,
  limitSchemas,
  answerSchemas,
} from './package-limits.ts'
import { type Excess, planExceeded } from './plan-excess.ts'
import { answer, write, type Decidable } from '../operations/writes.ts'

/** A package as answers show it. */
export const Package = z.strictObject({
  name: z.string(),
  ...answerSchemas,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

export type Package = z.infer<typeof Package>

export const PackageList = z.strictObject({ packages: z.array(Package) })

/** The fields that a caller may send; a field left out takes its default or keeps its value. */
export const PackageFields = z.strictObject({
  name: leftOut(z.string('must be a string')).describe('If sent, the name in the path'),
  ...byLimit<FieldSchemas>(({ name, meaning, initial }) =>
    leftOut<z.ZodType>(limitSchemas[name]).describe(
      `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}; ${initial} for a new package`,
    ),
  ),
})

type FieldSchemas = {
  [Name in LimitName]: ReturnType<typeof leftOut<z.ZodType<Limits[Name], Limits[Name]>>>
}

export type PackageFields = z.infer<typeof PackageFields>

type Row = Omit<Package, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

// These names are constants, never from a caller.
const limitColumns = new Sql([limits.map(({ name }) => name).join()], [])
const columns = sql`name, ${limitColumns}, created_at, updated_at`

/** Returns the catalogue of the caller's seller, by name. */
export async function list(db: Db, caller: Pick<Caller, 'sellerId'>): Promise<Package[]> {
  const rows = await all<Row>(db)`
    select ${columns} from panel.packages where seller_id = ${caller.sellerId}
    order by name collate "C"`
  return rows.map(toPackage)
}

/** Returns the catalogue with the number of accounts on each package. */
export async function listWithUse(
  db: Db,
  caller: Pick<Caller, 'sellerId'>,
): Promise<(Package & { accounts: number })[]> {
  const [catalogue, uses] = await Promise.all([
    list(db, caller),
    all<{ name: string; accounts: number }>(db)`
      select p.name, count(*)::int as accounts
      from panel.packages p join panel.accounts a on a.package_id = p.id
      where p.seller_id = ${caller.sellerId} and a.state <> 'terminated'
      group by p.name`,
  ])
  const accounts = new Map(uses.map(use => [use.name, use.accounts]))
  return catalogue.map(one => ({ ...one, accounts: accounts.get(one.name) ?? 0 }))
}

export async function get(
  db: Db,
  { sellerId }: Pick<Caller, 'sellerId'>,
  name: string,
): Promise<Package> {
  if (!packageName.safeParse(name).success)
    throw new PanelError('package_unknown', 'Unknown package')
  const row = await oneOrThrow<Row>(db, () => unknown(name))`
    select ${columns} from panel.packages where seller_id = ${sellerId} and name = ${name}`
  return toPackage(row)
}

const unknown = (name: string): PanelError =>
  new PanelError('package_unknown', `Unknown package: ${name}`)

/**
 * Returns a package named in a body.
 *
 * @throws {PanelError} 400 if it is not in the seller's catalogue, since the caller made a mistake
 */
export function getForSale(db: Db, sellerId: string, name: string) {
  const missing = () =>
    new PanelError('package_not_sold', `package: there is no package ${name}`, { field: 'package' })
  return oneOrThrow<{ id: string } & Limits>(db, missing)`
    select id, ${limitColumns} from panel.packages
    where seller_id = ${sellerId} and name = ${name}`
}

/** Counts an account's websites, databases and so on; returns the numbers by limit. */
export const countsOf = (db: Db, accountId: string) =>
  one<Record<CountName, number>>(db)`
    select ${counts} from panel.accounts a where a.id = ${accountId}`

const counts = new Sql(
  [
    countLimits
      .map(({ name, counts: { table } }) => {
        const rows = `select count(*)::int from panel.${table} t where t.account_id = a.id`
        return `(${rows}) as ${name}`
      })
      .join(),
  ],
  [],
)

type Named = { name: string }

const subject = ({ name }: Named): string => name

/** Creates or updates a package in the caller's catalogue. */
export const set = write({
  name: 'package/set',
  subject,
  async decide(db, decidable: Decidable<Named & PackageFields>) {
    const { id, caller } = decidable
    const { name, ...fields } = decidable.desired
    const { isNew, excess } = await one<{ isNew: boolean; excess: Excess | null }>(db)`
      select is_new as "isNew", excess
      from panel.put_package(
        ${caller.sellerId}, ${name}, ${JSON.stringify(fields)}, ${id})`
    if (excess !== null) throw planExceeded(excess, caller)
    const put = await get(db, caller, name)
    return { accountId: null, answer: answer(isNew ? 201 : 200, put) }
  },
})

/** Creates a package; an existing name is refused, where `set` would update the package. */
export const add = write({
  name: 'package/set',
  subject,
  async decide(db, decidable: Decidable<Named & PackageFields>) {
    const { name } = decidable.desired
    const known = await list(db, decidable.caller)
    if (known.some(one => one.name === name)) {
      throw new PanelError('invalid', `A package ${name} already exists`, { field: 'name' })
    }
    return set.decide(db, decidable)
  },
})

/** Deletes a package that no account uses; answers with its last values. */
export const remove = write({
  name: 'package/remove',
  subject,
  find: (db, { caller, desired }: { caller: Caller; desired: Named }) =>
    get(db, caller, desired.name),
  async decide(db, { caller, desired: { name }, found }) {
    const outcome = await oneFirst<'deleted' | 'used' | 'unknown'>(db)`
      select panel.delete_package(${caller.sellerId}, ${name})`
    if (outcome === 'used')
      throw new PanelError('package_in_use', `An account uses the package ${name}`)
    if (outcome === 'unknown') throw unknown(name)
    return { accountId: null, answer: answer(200, found) }
  },
})

/**
 * Begins the operations of the next accounts of a changed package; returns whether more may follow.
 */
export const applyToNext = (db: Db, packageId: string, limit: number) => oneFirst<boolean>(db)`
  select panel.apply_package(${packageId}, ${limit})`

const toPackage = (row: Row): Package => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
