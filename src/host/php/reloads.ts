import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { Machine } from '../contract.ts'

// Many masters that are to read their files again. Each starts PHP anew for that, so a thousand at
// once would leave the machine no time for anything else. They take turns after those who asked
// have gone on, and a note for each has the next worker finish what this one began. Memory is
// enough for the notes: a machine that starts reads what there is.

export type PhpReloads = {
  /** Has these accounts' PHP read its file again, if it runs, before long. */
  add(uids: readonly number[]): void
  /** Goes on with what a worker before this one has left. */
  resume(): void
}

// One start of PHP keeps a processor for about so long.
const pauseMs = 30

const folder = '/run/panel/php'

export function openPhpReloads(
  { path }: Machine,
  reload: (uid: number) => Promise<unknown>,
): PhpReloads {
  const noteOf = (uid: number, kind: 'due' | 'now') => path(`${folder}/${uid}.${kind}`)
  let isRunning = false

  const one = async (uid: number) => {
    // Who asks while it is at work asks for another one.
    if (fs.existsSync(noteOf(uid, 'due'))) fs.renameSync(noteOf(uid, 'due'), noteOf(uid, 'now'))
    await reload(uid).catch(error => log.error('PHP is not reloaded', error, { uid }))
    fs.rmSync(noteOf(uid, 'now'), { force: true })
    await sleep(pauseMs, undefined, { ref: false })
  }
  const all = async () => {
    if (isRunning) return
    isRunning = true
    try {
      for (let uids = due(path(folder)); uids.length > 0; uids = due(path(folder))) {
        for (const uid of uids) await one(uid)
      }
    } finally {
      isRunning = false
    }
  }
  const resume = () => void all().catch(error => log.error('reloads of PHP are left', error))
  return {
    add(uids) {
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
