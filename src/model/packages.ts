import { z } from 'zod'
import type { Db } from '../db.ts'
import { PanelError } from '../errors.ts'
import { packageName } from './grammar.ts'
import type { Caller } from './callers.ts'
import { answer, write, type Judged } from './writes.ts'

/** A package as answers show it. */
export const Package = z.strictObject({
  name: z.string(),
  max_sites: z.int(),
  disk_mb: z.int(),
  memory_mb: z.int(),
  cpu_percent: z.int().describe('100 is one core'),
  sftp: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

export type Package = z.infer<typeof Package>

export const PackageList = z.strictObject({ packages: z.array(Package) })

const between = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`
  return z.int(words).min(least, words).max(most, words).optional()
}

/** What a caller may send; a field left out takes its default or keeps its value. */
export const PackageFields = z.strictObject({
  name: z.string('must be a text').optional().describe('The name in the path, if sent at all'),
  max_sites: between(0, 10_000).describe('Websites at most; 1 for a new package'),
  disk_mb: between(1, 10_000_000).describe('Disk quota in MB; 1024 for a new package'),
  memory_mb: between(32, 1_048_576).describe('Memory limit in MB; 512 for a new package'),
  cpu_percent: between(1, 6_400).describe('CPU limit, 100 is one core; 100 for a new package'),
  sftp: z
    .boolean('must be true or false')
    .optional()
    .describe('Whether SFTP is allowed; true for a new package'),
})

export type PackageFields = z.infer<typeof PackageFields>

type Row = Omit<Package, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

const columns = `name, max_sites, disk_mb, memory_mb, cpu_percent, sftp, created_at, updated_at`

/** The catalogue of the seller that the caller acts for, by name. */
export async function list(db: Db, caller: Pick<Caller, 'sellerId'>): Promise<Package[]> {
  const { rows } = await db.query<Row>(
    `select ${columns} from panel.packages where seller_id = $1 order by name collate "C"`,
    [caller.sellerId],
  )
  return rows.map(toPackage)
}

export async function get(
  db: Db,
  caller: Pick<Caller, 'sellerId'>,
  name: string,
): Promise<Package> {
  if (!packageName.safeParse(name).success) throw new PanelError('not_found', 'Unknown package')
  const { rows } = await db.query<Row>(
    `select ${columns} from panel.packages where seller_id = $1 and name = $2`,
    [caller.sellerId, name],
  )
  const [row] = rows
  if (row === undefined) throw new PanelError('not_found', `Unknown package: ${name}`)
  return toPackage(row)
}

/** A package named in a body. One that the seller does not have is the caller's mistake: 400. */
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

type Named = { name: string }

/** Creates or updates one in the caller's catalogue. */
export const set = write({
  name: 'package/set',
  async judge(db, { caller, wanted: { name, ...fields } }: Judged<Named & PackageFields>) {
    const { rows } = await db.query<{ is_new: boolean; excess: string | null }>(
      'select is_new, excess from panel.put_package($1, $2, $3, $4, $5, $6, $7)',
      [
        caller.sellerId,
        name,
        fields.max_sites,
        fields.disk_mb,
        fields.memory_mb,
        fields.cpu_percent,
        fields.sftp,
      ],
    )
    const { is_new: isNew, excess } = rows[0]!
    if (excess !== null) throw new PanelError('forbidden', excess)
    const put = await get(db, caller, name)
    return { accountId: null, answer: answer(isNew ? 201 : 200, put) }
  },
})

/** Removes one that no account uses; answers what it was. */
export const remove = write({
  name: 'package/remove',
  find: (db, { caller, wanted }: { caller: Caller; wanted: Named }) => get(db, caller, wanted.name),
  async judge(db, { caller, wanted: { name }, found }) {
    const { rows } = await db.query<{ outcome: 'deleted' | 'used' | 'unknown' }>(
      'select panel.delete_package($1, $2) as outcome',
      [caller.sellerId, name],
    )
    const outcome = rows[0]?.outcome
    if (outcome === 'used') throw new PanelError('invalid', `An account uses the package ${name}`)
    if (outcome !== 'deleted') throw new PanelError('not_found', `Unknown package: ${name}`)
    return { accountId: null, answer: answer(200, found) }
  },
})

/** Begins the next accounts' operations of a changed package; returns whether more may follow. */
export async function applyToNext(db: Db, packageId: string, limit: number): Promise<boolean> {
  const { rows } = await db.query<{ more: boolean }>('select panel.apply_package($1, $2) as more', [
    packageId,
    limit,
  ])
  return rows[0]?.more === true
}

const toPackage = (row: Row): Package => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
