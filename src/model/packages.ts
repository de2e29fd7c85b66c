import { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { Owner } from './owners.ts'

/** A package as answers show it (api.md, Package). */
export type Package = {
  name: string
  max_sites: number
  disk_mb: number
  memory_mb: number
  cpu_percent: number
  sftp: boolean
  created_at: string
  updated_at: string
}

const between = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`
  return z.int(words).min(least, words).max(most, words).optional()
}

/** What a caller may send; a field left out takes its default or keeps its value. */
export const PackageFields = z.strictObject({
  name: z.string('must be a text').optional(),
  max_sites: between(0, 10_000),
  disk_mb: between(1, 10_000_000),
  memory_mb: between(32, 1_048_576),
  cpu_percent: between(1, 6_400),
  sftp: z.boolean('must be true or false').optional(),
})

export type PackageFields = z.infer<typeof PackageFields>

type Row = Omit<Package, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

const columns = `name, max_sites, disk_mb, memory_mb, cpu_percent, sftp, created_at, updated_at`

/** The catalogue of the seller that the owner acts for, by name. */
export async function list(db: Db, owner: Owner): Promise<Package[]> {
  const { rows } = await db.query<Row>(
    `select ${columns} from panel.packages where seller_id = $1 order by name collate "C"`,
    [owner.sellerId],
  )
  return rows.map(toPackage)
}

export async function get(db: Db, owner: Owner, name: string): Promise<Package> {
  const { rows } = await db.query<Row>(
    `select ${columns} from panel.packages where seller_id = $1 and name = $2`,
    [owner.sellerId, name],
  )
  const [row] = rows
  if (row === undefined) throw new PanelError('not_found', `Unknown package: ${name}`)
  return toPackage(row)
}

/** A package that a body names: one that the seller does not sell is the caller's mistake, 400. */
export async function getForSale(
  db: Db,
  sellerId: string,
  name: string,
): Promise<{ id: string; maxSites: number }> {
  const { rows } = await db.query<{ id: string; maxSites: number }>(
    'select id, max_sites as "maxSites" from panel.packages where seller_id = $1 and name = $2',
    [sellerId, name],
  )
  const [row] = rows
  if (row === undefined) throw new PanelError('invalid', `package: there is no package ${name}`)
  return row
}

/** Creates or updates; tells which. */
export async function put(
  db: Db,
  owner: Owner,
  name: string,
  fields: PackageFields,
): Promise<{ isNew: boolean; package: Package }> {
  const { rows } = await db.query<{ is_new: boolean }>(
    'select is_new from panel.put_package($1, $2, $3, $4, $5, $6, $7)',
    [
      owner.sellerId,
      name,
      fields.max_sites,
      fields.disk_mb,
      fields.memory_mb,
      fields.cpu_percent,
      fields.sftp,
    ],
  )
  return { isNew: rows[0]?.is_new === true, package: await get(db, owner, name) }
}

const toPackage = (row: Row): Package => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
