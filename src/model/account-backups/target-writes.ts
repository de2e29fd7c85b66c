import { z } from 'zod'
import { all, type Db, maybeOne } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { leftOut } from '../grammar/grammar.ts'
import type { Subject } from '../operations/operations.ts'
import { write } from '../operations/writes.ts'
import { type Caller, requireRole } from '../signing-in/callers.ts'
import {
  isSameReceiver,
  needsCredentials,
  sealTarget,
  secretOf,
  Target,
  targetName,
} from './targets.ts'

// Targets for backups of accounts are added, changed, tested and removed by administrators.

/** The functions by which operations read and write a target. */
export const backupTarget = {
  find: 'find_backup_target',
  writeDesired: 'write_desired_backup_target',
  complete: 'complete_backup_target',
} satisfies Subject

type NewTarget = {
  name: string
  address: Target
  /** Left out, the credentials stay. */
  credentials: string | undefined
  isDefault: boolean
  newKey: () => string
  serverKey: () => Buffer
}

/** Adds a target or changes it; it is tested before it is saved. */
export const setTarget = write<NewTarget>({
  name: 'backup/set-target',
  subject: ({ name }) => name,
  async decide(db, { desired: { name, address, credentials, isDefault, newKey, serverKey } }) {
    const before = await readTarget(db, name)
    const isNeeded = needsCredentials(address)
    if (!isNeeded && credentials !== undefined) {
      throw new PanelError('invalid', 'This target needs no credentials')
    }
    const isKept = before !== undefined && isSameReceiver(before.address, address)
    if (isNeeded && credentials === undefined && !isKept) {
      throw new PanelError('invalid', 'This target needs its credentials')
    }
    const given = credentials === undefined ? null : parseCredentials(address.kind, credentials)
    // The worker adds what is kept: it alone reads the credentials of rows.
    const open = { address, credentials: given, testKey: newKey() }
    const target = sealTarget(open, name, serverKey())
    return { accountId: null, params: { target_name: name, target, is_default: isDefault } }
  },
})

function parseCredentials(kind: Target['kind'], text: string): string {
  const { label, schema } = secretOf[kind]!
  const parsed = schema.safeParse(text)
  if (parsed.success) return parsed.data
  throw new PanelError('invalid', `${label} ${parsed.error.issues[0]?.message}`)
}

const onTarget = (name: 'backup/test-target' | 'backup/remove-target') =>
  write<{ name: string }>({
    name,
    subject: desired => desired.name,
    async decide(db, { desired }) {
      if ((await readTarget(db, desired.name)) === undefined) throw unknownTarget(desired.name)
      return { accountId: null, params: { target_name: desired.name } }
    },
  })

/** Writes, reads and deletes data at the target. */
export const testTarget = onTarget('backup/test-target')

/** Removes a target that no repository uses. */
export const removeTarget = onTarget('backup/remove-target')

export const unknownTarget = (name: string): PanelError =>
  new PanelError('backup_target_unknown', `There is no backup target ${name}`)

async function readTarget(db: Db, name: string): Promise<{ address: Target } | undefined> {
  const row = await maybeOne<{ address: unknown }>(db)`
    select address from panel.backup_targets where name = ${name}`
  return row && { address: Target.parse(row.address) }
}

export const TargetRow = z.strictObject({
  name: targetName,
  address: Target,
  is_default: z.boolean().describe('Whether new backups go there'),
  tested_at: z.iso.datetime(),
  repositories: z.int().describe('The number of accounts with backups there'),
  last_completed_at: z.iso.datetime().nullable().describe('When a backup was last completed there'),
})
export type TargetRow = z.infer<typeof TargetRow>

/** A target as its operations answer. */
export const SavedTarget = z.strictObject({ name: targetName, address: Target })
export type SavedTarget = z.infer<typeof SavedTarget>

/** A target in a request. */
export const GivenTarget = z.strictObject({
  address: Target,
  credentials: leftOut(z.string().max(8_000, 'must have at most 8000 characters')).describe(
    'The private key, password or secret key; left out, it stays, if the server and its user do',
  ),
  is_default: leftOut(z.boolean()).describe('Whether new backups go there'),
})

/** Lists all targets for a caller that may change them. */
export async function listTargetsFor(db: Db, caller: Caller): Promise<TargetRow[]> {
  requireRole(caller, 'backup/set-target')
  return listTargets(db)
}

/** Lists all targets, without their secrets. */
export async function listTargets(db: Db): Promise<TargetRow[]> {
  type Row = Omit<TargetRow, 'tested_at' | 'last_completed_at' | 'address'> & {
    address: unknown
    testedAt: Date
    lastAt: Date | null
  }
  const rows = await all<Row>(db)`
    select t.name, t.address, t.is_default, t.tested_at as "testedAt",
      (select count(*)::integer from panel.backup_repositories r where r.target_id = t.id)
        as repositories,
      (select max(b.finished_at) from panel.account_backups b
       join panel.backup_repositories r on r.id = b.repository_id
       where r.target_id = t.id and b.state = 'done') as "lastAt"
    from panel.backup_targets t
    order by t.name`
  return rows.map(({ address, testedAt, lastAt, ...row }) => ({
    ...row,
    address: Target.parse(address),
    tested_at: testedAt.toISOString(),
    last_completed_at: lastAt?.toISOString() ?? null,
  }))
}
