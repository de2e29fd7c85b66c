import { z } from 'zod'
import { write } from '../operations/writes.ts'
import { keyFor, seal, unseal } from './sealing.ts'

// Backups of the whole server that an administrator requests from a page. The passphrase waits for
// the worker encrypted, and its row forgets it when the operation ends.

/** The passphrase of a backup: who steals one can guess for years, one guess a second of CPU. */
export const passphrase = z
  .string()
  .refine(given => [...given].length >= 12, 'must have at least 12 characters')
  .max(1_000, 'must have at most 1000 characters')

const context = 'server backup'
const passphraseKey = (serverKey: Buffer): Buffer =>
  keyFor('panel: the passphrase of a backup', serverKey)

/** The params of the operation. */
export const SealedPassphrase = z.object({ passphrase: z.base64().max(2_000) })

/**
 * Decrypts the passphrase of a requested backup.
 *
 * @throws if it was encrypted with another key
 */
export const openPassphrase = (
  { passphrase: sealed }: z.output<typeof SealedPassphrase>,
  serverKey: Buffer,
): string =>
  passphrase.parse(
    unseal(Buffer.from(sealed, 'base64'), passphraseKey(serverKey), context).toString(),
  )

type Asked = { passphrase: string; serverKey: () => Buffer }

/** Writes a backup of the server to its usual folder, encrypted with the passphrase. */
export const backUpServer = write<Asked>({
  name: 'server/back-up',
  async decide(_, { desired: { passphrase: given, serverKey } }) {
    const sealed = seal(Buffer.from(given), passphraseKey(serverKey()), context)
    return { accountId: null, params: { passphrase: sealed.toString('base64') } }
  },
})
