import { z } from 'zod'
import { publicKey } from './public-keys.ts'
import type { HostPart } from '../operations/resource-kind.ts'

// An account's public keys for the machine.

const shape = {
  /** The public keys that its user logs in with, and those to remove. */
  sftpKeys: z.array(
    z.strictObject({
      id: z.string().regex(/^[1-9][0-9]{0,18}$/),
      key: publicKey,
      isDeleting: z.boolean(),
    }),
  ),
}

type Row = { id: string; key: string; desired: 'reserved' | 'present' | 'absent' }

export const hostSftpKeys: HostPart<readonly Row[], typeof shape> = {
  shape,
  of: rows => ({
    sftpKeys: rows
      .filter(({ desired }) => desired !== 'reserved')
      .map(({ id, key, desired }) => ({ id, key, isDeleting: desired === 'absent' })),
  }),
}
