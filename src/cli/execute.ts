import type { Config } from '../config.ts'
import type { Pool } from '../db.ts'
import type { PanelError } from '../errors.ts'
import { rootCaller } from '../model/signing-in/callers.ts'
import {
  type LicenseSettings,
  maySignOwn,
  readLicense,
  readServer,
  requirePaid,
} from '../model/server/license.ts'
import { readServerKey } from '../model/server/server-key.ts'
import type { Write } from '../model/operations/writes.ts'
import { keysOf } from '../requests/caller-keys.ts'
import { executeWith, type Outcome } from '../requests/execute.ts'
import { Outcomes } from '../requests/outcomes.ts'

type Panel = { db: Pool; databaseUrl: string; config: Config; license: LicenseSettings }

type Options<Desired> = {
  key: string | undefined
  waitMs: number
  /** The params that a repeat must send again; all params unless some are generated here. */
  asked?: Partial<Desired>
}

/** Executes a write for root, in the same way as for every caller. */
export async function execute<Desired extends object>(
  { db, databaseUrl, config, license: settings }: Panel,
  write: Write<Desired>,
  desired: Desired,
  { key, waitMs, asked = desired }: Options<Desired>,
): Promise<Outcome> {
  const keys = keysOf(readServerKey(config.keyFile))
  const [caller, server, license] = await Promise.all([
    rootCaller(db),
    readServer(db),
    // Only creating accounts needs a license, so an unreadable file is ignored here.
    readLicense(settings).then(
      read => () => read,
      (error: PanelError) => () => {
        if (error.code === 'unavailable') throw error
        return undefined
      },
    ),
  ])
  const rules = {
    ...config,
    maxAccounts: () =>
      requirePaid(license(), server.id, new Date(), maySignOwn(settings.key)).maxAccounts,
  }
  const outcomes = await Outcomes.open(db, databaseUrl, 'panel_owner')
  try {
    const fingerprint = keys.fingerprint(`${write.name}\n`, JSON.stringify(asked))
    const ask = { caller, keys, key, fingerprint, words: null, waitMs, parse: () => desired }
    return await executeWith(db, outcomes, rules)(write, ask)
  } finally {
    await outcomes.close()
  }
}
