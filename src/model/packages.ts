import { z } from 'zod'
import { all, type Db, one, oneOr, sql, value } from '../db.ts'
import { PanelError } from '../errors.ts'
import { leftOut, packageName } from './grammar.ts'
import type { Caller } from './callers.ts'
import { type Excess, limitsExceed } from './plan-excess.ts'
import { answer, write, type Judged } from './writes.ts'

/** A package as answers show it. */
export const Package = z.strictObject({
  name: z.string(),
  max_sites: z.int(),
  disk_mb: z.int(),
  memory_mb: z.int(),
  cpu_percent: z.int().describe('100 is one core'),
  sftp: z.boolean(),
  max_databases: z.int(),
  database_connections: z.int().describe('Of each database user'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

export type Package = z.infer<typeof Package>

export const PackageList = z.strictObject({ packages: z.array(Package) })

const between = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`
  return z.int(words).min(least, words).max(most, words)
}

/** What a package may allow. */
export const limits = {
  max_sites: between(0, 10_000),
  disk_mb: between(1, 10_000_000),
  memory_mb: between(32, 1_048_576),
  cpu_percent: between(1, 6_400),
  sftp: z.boolean('must be true or false'),
  max_databases: between(0, 10_000),
  database_connections: between(1, 1_000),
}

/** What a caller may send; a field left out takes its default or keeps its value. */
export const PackageFields = z.strictObject({
  name: leftOut(z.string('must be a text')).describe('The name in the path, if sent at all'),
  max_sites: leftOut(limits.max_sites).describe('Websites at most; 1 for a new package'),
  disk_mb: leftOut(limits.disk_mb).describe('Disk quota in MB; 1024 for a new package'),
  memory_mb: leftOut(limits.memory_mb).describe('Memory limit in MB; 512 for a new package'),
  cpu_percent: leftOut(limits.cpu_percent).describe(
    'CPU limit, 100 is one core; 100 for a new package',
  ),
  sftp: leftOut(limits.sftp).describe('Whether SFTP is allowed; true for a new package'),
  max_databases: leftOut(limits.max_databases).describe('Databases at most; 1 for a new package'),
  database_connections: leftOut(limits.database_connections).describe(
    'Connections of each database user at a time; 20 for a new package',
  ),
})

export type PackageFields = z.infer<typeof PackageFields>

type Row = Omit<Package, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

const columns = sql`name, max_sites, disk_mb, memory_mb, cpu_percent, sftp, max_databases,
  database_connections, created_at, updated_at`

/** The catalogue of the seller that the caller acts for, by name. */
export async function list(db: Db, caller: Pick<Caller, 'sellerId'>): Promise<Package[]> {
  const rows = await all<Row>(db)`
    select ${columns} from panel.packages where seller_id = ${caller.sellerId}
    order by name collate "C"`
  return rows.map(toPackage)
}

/** The same, with how many accounts are on each. */
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
  const row = await oneOr<Row>(db, () => unknown(name))`
    select ${columns} from panel.packages where seller_id = ${sellerId} and name = ${name}`
  return toPackage(row)
}

const unknown = (name: string): PanelError =>
  new PanelError('package_unknown', `Unknown package: ${name}`)

/** A package named in a body. One that the seller does not have is the caller's mistake: 400. */
export function getForSale(db: Db, sellerId: string, name: string) {
  const missing = () =>
    new PanelError('package_not_sold', `package: there is no package ${name}`, { field: 'package' })
  return oneOr<{ id: string; maxSites: number }>(db, missing)`
    select id, max_sites as "maxSites" from panel.packages
    where seller_id = ${sellerId} and name = ${name}`
}

type Named = { name: string }

const subject = ({ name }: Named): string => name

/** Creates or updates one in the caller's catalogue. */
export const set = write({
  name: 'package/set',
  subject,
  async judge(db, { caller, wanted: { name, ...fields } }: Judged<Named & PackageFields>) {
    const { isNew, excess } = await one<{ isNew: boolean; excess: Excess | null }>(db)`
      select is_new as "isNew", excess
      from panel.put_package(
        ${caller.sellerId}, ${name}, ${fields.max_sites}, ${fields.disk_mb}, ${fields.memory_mb},
        ${fields.cpu_percent}, ${fields.sftp}, ${fields.max_databases},
        ${fields.database_connections})`
    if (excess !== null) throw limitsExceed(excess, caller)
    const put = await get(db, caller, name)
    return { accountId: null, answer: answer(isNew ? 201 : 200, put) }
  },
})

/** Creates one; a name that is there is refused, where `set` would change it. */
export const add = write({
  name: 'package/set',
  subject,
  async judge(db, judged: Judged<Named & PackageFields>) {
    const { name } = judged.wanted
    const known = await list(db, judged.caller)
    if (known.some(one => one.name === name)) {
      throw new PanelError('invalid', `There is a package ${name} already`, { field: 'name' })
    }
    return set.judge(db, judged)
  },
})

/** Removes one that no account uses; answers what it was. */
export const remove = write({
  name: 'package/remove',
  subject,
  find: (db, { caller, wanted }: { caller: Caller; wanted: Named }) => get(db, caller, wanted.name),
  async judge(db, { caller, wanted: { name }, found }) {
    const outcome = await value<'deleted' | 'used' | 'unknown'>(db)`
      select panel.delete_package(${caller.sellerId}, ${name})`
    if (outcome === 'used')
      throw new PanelError('package_in_use', `An account uses the package ${name}`)
    if (outcome === 'unknown') throw unknown(name)
    return { accountId: null, answer: answer(200, found) }
  },
})

/** Begins the next accounts' operations of a changed package; returns whether more may follow. */
export const applyToNext = (db: Db, packageId: string, limit: number) => value<boolean>(db)`
  select panel.apply_package(${packageId}, ${limit})`

const toPackage = (row: Row): Package => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
