import { z } from 'zod'
import { publicKey } from './public-keys.ts'
import type { HostPart } from './resource-kind.ts'

// An account's public keys as the machine has to know them.

const shape = {
  /** The public keys that its user logs in with, and those that it no longer does. */
  sftpKeys: z.array(
    z.strictObject({
      id: z.string().regex(/^[1-9][0-9]{0,18}$/),
      key: publicKey,
      isLeaving: z.boolean(),
    }),
  ),
}

type Row = { id: string; key: string; wanted: 'reserved' | 'present' | 'absent' }

export const hostSftpKeys: HostPart<readonly Row[], typeof shape> = {
  shape,
  of: rows => ({
    sftpKeys: rows
      .filter(({ wanted }) => wanted !== 'reserved')
      .map(({ id, key, wanted }) => ({ id, key, isLeaving: wanted === 'absent' })),
  }),
}
