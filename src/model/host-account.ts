import { z } from 'zod'
import type { AccountRecord } from './accounts.ts'
import { HostDatabases, toHostDatabases, type HostSecrets } from './host-databases.ts'
import { domain, linuxPasswordHash, userName, username } from './grammar.ts'
import { hostSchemas } from './package-limits.ts'
import { publicKey } from './public-keys.ts'

const id = z.string().regex(/^[1-9][0-9]{0,18}$/)

const Site = z.strictObject({
  id,
  domain,
  /** Whether visitors by HTTP are sent to HTTPS, once there is a certificate. */
  isHttpsOnly: z.boolean().optional(),
  /** Whether visitors get source files, copies of them and dumps of databases. */
  servesSources: z.boolean().optional(),
})

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
  wanted: z.enum(['active', 'suspended', 'terminated']),
  limits: HostLimits,
  sites: z.array(Site),
  /**
   * Websites of which nothing may be left but their owner's files; those of one that was never more
   * than begun are left where they are.
   */
  leaving: z.array(Site.extend({ isNew: z.boolean().optional() })),
  /** The public keys that its user logs in with, and those that it no longer does. */
  sftpKeys: z.array(z.strictObject({ id, key: publicKey, isLeaving: z.boolean() })),
  /** Left out of an account that has none. */
  databases: HostDatabases.optional(),
})

export type HostAccount = z.infer<typeof HostAccount>

/** What the machine has to know of an account's rows. */
export type HostRecord = Pick<
  AccountRecord,
  'id' | 'uid' | 'username' | 'wanted' | 'state' | 'sftpKeys'
> & {
  package: z.infer<typeof HostLimits>
  // A row without `wanted` is one of a release that knew nothing else but present websites.
  sites: {
    id: string
    domain: string
    isHttpsOnly?: boolean | undefined
    servesSources?: boolean | undefined
    wanted?: 'reserved' | 'present' | 'absent'
    isNew?: boolean
  }[]
}

/** The account as the machine may see it; a row that does not fit its grammar is refused here. */
export function toHostAccount(
  record: HostRecord,
  { passwordHash, databases = null }: HostSecrets,
): HostAccount {
  // What was made while the name was free stays whole.
  if (record.state === 'provisioning') username.parse(record.username)
  const sitesThatAre = (which: 'present' | 'absent') =>
    record.sites
      .filter(({ wanted = 'present' }) => wanted === which)
      .map(({ id, domain, isHttpsOnly = false, servesSources = false, isNew = false }) => ({
        id,
        domain,
        ...(which === 'present' && isHttpsOnly && { isHttpsOnly }),
        ...(which === 'present' && servesSources && { servesSources }),
        ...(which === 'absent' && isNew && { isNew }),
      }))
  return HostAccount.parse({
    id: record.id,
    uid: record.uid,
    username: record.username,
    passwordHash,
    wanted: record.wanted,
    limits: HostLimits.strip().parse(record.package),
    sites: sitesThatAre('present'),
    leaving: sitesThatAre('absent'),
    sftpKeys: record.sftpKeys
      .filter(({ wanted }) => wanted !== 'reserved')
      .map(({ id, key, wanted }) => ({ id, key, isLeaving: wanted === 'absent' })),
    ...(databases && { databases: toHostDatabases(databases, record.username) }),
  })
}
