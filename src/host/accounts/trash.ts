import * as fs from 'node:fs'
import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'

/**
 * Homes of terminated accounts; on the file system of the homes, so that a single rename moves one.
 */
export const trash = '/home/.trash'

/** The path that a home is moved to. User numbers are never reused, so neither is this path. */
export const trashPathOf = (uid: number): string => `${trash}/${uid}`

/** The operations that the worker calls for homes of terminated accounts. */
export const trashOf = (machine: Machine): Pick<Host, 'listTrash' | 'deleteTrash'> => ({
  listTrash: () =>
    fs
      .readdirSync(machine.path(trash))
      .filter(name => /^[1-9][0-9]*$/.test(name))
      .map(Number),

  deleteTrash: uid => machine.files.removeIdly(machine.path(trashPathOf(uid))),
})
