import { z } from 'zod'
import type { AccountRecord } from './accounts.ts'
import { linuxPasswordHash, userName, username } from '../grammar/grammar.ts'
import { hostSchemas } from '../sellers/package-limits.ts'
import {
  hostPartsOf,
  hostShape,
  type HostRows,
  type HostSecrets,
} from '../operations/resource-kinds.ts'

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)

const HostLimits = z.strictObject(hostSchemas)

/**
 * What the machine has to agree with: one account as its rows say, judged again by grammar,
 * because root reads every row as hostile.
 */
export const HostAccount = z.strictObject({
  id,
  // From the database's sequence, never given again: a freed uid would inherit files.
  uid: z.int().min(20_000).max(2_000_000_000),
  username: userName,
  passwordHash: linuxPasswordHash,
  desired: z.enum(['active', 'suspended', 'terminated']),
  limits: HostLimits,
  ...hostShape,
})

export type HostAccount = z.infer<typeof HostAccount>

/** What the machine has to know of an account's rows. */
export type HostRecord = Pick<AccountRecord, 'id' | 'uid' | 'username' | 'desired' | 'state'> & {
  package: z.infer<typeof HostLimits>
} & HostRows

/** The account as the machine may see it; a row that does not fit its grammar is refused here. */
export function toHostAccount(
  record: HostRecord,
  { passwordHash, parts }: HostSecrets,
): HostAccount {
  // What was made while the name was free stays whole.
  if (record.state === 'provisioning') username.parse(record.username)
  return HostAccount.parse({
    id: record.id,
    uid: record.uid,
    username: record.username,
    passwordHash,
    desired: record.desired,
    limits: HostLimits.strip().parse(record.package),
    ...hostPartsOf(record, parts ?? {}, record.username),
  })
}
