import * as fs from 'node:fs'
import type { Host } from '../../model/host.ts'
import { trash } from './home.ts'
import type { Machine } from '../machine.ts'

// Far more than ten million files take; the next turn goes on where this one was cut off.
const limitMs = 1_800_000

/** What a machine tells of the homes of terminated accounts. */
export const trashOf = (machine: Machine): Pick<Host, 'listTrash' | 'deleteTrash'> => ({
  listTrash: () =>
    fs
      .readdirSync(machine.path(trash))
      .filter(name => /^[1-9][0-9]*$/.test(name))
      .map(Number),

  async deleteTrash(uid) {
    const path = machine.path(`${trash}/${uid}`)
    if (machine.kind === 'sandbox') return fs.promises.rm(path, { recursive: true, force: true })
    // Behind everything else that wants the disk. Nobody but root gets in there to plant a link.
    const idly = ['-n', '19', 'ionice', '-c', '3']
    await machine.run('nice', [...idly, 'rm', '-rf', '--one-file-system', '--', path], {
      timeoutMs: limitMs,
    })
  },
})
