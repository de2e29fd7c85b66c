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
 * One account for the machine: its rows, validated again because root reads every row as hostile.
 */
export const HostAccount = z.strictObject({
  id,
  // From the database's sequence, never reused: a reused uid would inherit files.
  uid: z.int().min(20_000).max(2_000_000_000),
  username: userName,
  passwordHash: linuxPasswordHash,
  desired: z.enum(['active', 'suspended', 'terminated']),
  limits: HostLimits,
  ...hostShape,
})

export type HostAccount = z.infer<typeof HostAccount>

/** The fields of an account's record that the machine needs. */
export type HostRecord = Pick<AccountRecord, 'id' | 'uid' | 'username' | 'desired' | 'state'> & {
  package: z.infer<typeof HostLimits>
} & HostRows

/**
 * Parses an account's rows for the machine.
 *
 * @throws if a row does not match its grammar
 */
export function toHostAccount(
  record: HostRecord,
  { passwordHash, parts }: HostSecrets,
): HostAccount {
  // A name that was reserved after the account's creation stays valid.
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
