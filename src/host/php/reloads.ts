import { Mutex } from 'async-mutex'
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { Machine } from '../contract.ts'

// Reloads many masters, one after the other and in the background: each starts PHP anew to read its
// file, and a thousand at once would leave the machine no time for anything else. A note for each
// lets the next worker go on. The notes need not survive a restart, after which PHP reads its file.

// About the time that one start of PHP takes of a processor.
const pauseMs = 30

const folder = '/run/panel/php'

export function openPhpReloads({ path }: Machine, reload: (uid: number) => Promise<unknown>) {
  const noteOf = (uid: number, kind: 'due' | 'now') => path(`${folder}/${uid}.${kind}`)
  const turn = new Mutex()

  const one = async (uid: number) => {
    // One that is asked for from here on is another reload.
    if (fs.existsSync(noteOf(uid, 'due'))) fs.renameSync(noteOf(uid, 'due'), noteOf(uid, 'now'))
    await reload(uid).catch(error => log.error('PHP is not reloaded', error, { uid }))
    fs.rmSync(noteOf(uid, 'now'), { force: true })
    await sleep(pauseMs, undefined, { ref: false })
  }
  const all = async () => {
    for (const uid of due(path(folder))) await one(uid)
  }
  // Goes on with what a worker before this one has left too.
  const resume = () =>
    void turn.runExclusive(all).catch(error => log.error('reloads of PHP are left', error))
  return {
    /** Has these accounts' PHP read its file again, if it runs, before long. */
    add(uids: readonly number[]) {
      for (const uid of uids) fs.writeFileSync(noteOf(uid, 'due'), '')
      if (uids.length > 0) resume()
    },
    resume,
  }
}

function due(place: string): number[] {
  const uids = fs.readdirSync(place).map(name => /^([1-9][0-9]*)\.(?:due|now)$/.exec(name)?.[1])
  return [...new Set(uids)].filter(uid => uid !== undefined).map(Number)
}
