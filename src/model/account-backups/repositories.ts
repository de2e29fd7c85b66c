import { z } from 'zod'
import { type Db, oneFirst } from '../../db.ts'
import { keyFor, seal, unseal } from '../server/sealing.ts'
import { openTarget, type OpenTarget } from './targets.ts'

// The repository of an account at a target, with a key of its own.

/** A repository with its target, as the worker reads it. */
export const SealedRepository = z.strictObject({
  id: z.string().regex(/^[1-9][0-9]{0,18}$/),
  username: z.string(),
  sealedKey: z.base64().max(1_000),
  isCreated: z.boolean(),
  targetName: z.string(),
  target: z.unknown(),
})

/** A repository as restic needs it. */
export type OpenRepository = {
  id: string
  username: string
  key: string
  /** Whether restic has created it. */
  isCreated: boolean
  target: OpenTarget
}

const repositoryKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: keys of backup repositories', serverKey)

/**
 * Decrypts the key of a repository and the credentials of its target.
 *
 * @throws if they were sealed with another key
 */
export function openRepository(sealed: unknown, serverKey: Buffer): OpenRepository {
  const { sealedKey, target, targetName, ...rest } = SealedRepository.parse(sealed)
  const key = unseal(Buffer.from(sealedKey, 'base64'), repositoryKey(serverKey), context)
  return { ...rest, key: key.toString(), target: openTarget(target, targetName, serverKey) }
}

const context = 'backup repository'

/** Returns the id of an account's repository at a target; a new one gets this key. */
export function ensureRepository(
  db: Db,
  of: { accountId: string; targetId: string },
  key: string,
  serverKey: Buffer,
): Promise<string> {
  const sealed = seal(Buffer.from(key), repositoryKey(serverKey), context).toString('base64')
  return oneFirst<string>(db)`
    select panel.ensure_backup_repository(${of.accountId}, ${of.targetId}, ${sealed})::text`
}
