import * as fs from 'node:fs'
import type { Host } from '../../model/server/host.ts'
import type { Machine } from '../contract.ts'

/** Homes of terminated accounts; on the file system of the homes, so that one rename moves one. */
export const trash = '/home/.trash'

/** Where a home is put. Numbers are never given again, so neither is this name. */
export const trashPlaceOf = (uid: number): string => `${trash}/${uid}`

/** What the worker asks about the homes of terminated accounts. */
export const trashOf = (machine: Machine): Pick<Host, 'listTrash' | 'deleteTrash'> => ({
  listTrash: () =>
    fs
      .readdirSync(machine.path(trash))
      .filter(name => /^[1-9][0-9]*$/.test(name))
      .map(Number),

  deleteTrash: uid => machine.files.removeIdly(machine.path(trashPlaceOf(uid))),
})
