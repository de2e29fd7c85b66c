import { rmSync } from 'node:fs'
import { openPool } from '../../db.ts'
import { isThere } from '../../host/tools/files.ts'
import { follow } from '../../host/tools/follow.ts'
import type { Observe } from '../../model/server/host.ts'
import { migrate } from '../../migrate.ts'
import { installedUrl } from '../settings.ts'
import { services } from '../units.ts'
import { untilDatabaseAnswers } from './database-answers.ts'
import { resumeAll } from './drain.ts'
import { dumpOf, loadRows } from './dump.ts'
import { holdApi, stopApi } from './worker-pause.ts'
import type { Journal } from './journal.ts'
import { replacingFile, restoringFile } from './places.ts'
import { replaceRows } from './replace-rows.ts'
import { askRelease, listOthers, switchTo } from './releases.ts'
import { PanelError } from '../../errors.ts'
import { restart } from './restart.ts'

type Step = { name: string; act: (journal: Journal, isAtStart: boolean) => Promise<void> }

// By the release that was to be left, whose code this is. What fails keeps nothing else from being
// put back.
const steps: readonly Step[] = [
  {
    name: 'stop',
    act(journal, isAtStart) {
      if (!mayMeetOther(journal)) return nothing()
      // The unit that takes it back then is one that the API comes after.
      return isAtStart ? stopApi() : holdApi()
    },
  },
  {
    name: 'database',
    act: (_journal, isAtStart) => (isAtStart ? untilDatabaseAnswers(installedUrl()) : nothing()),
  },
  { name: 'rows', act: bringBackRows },
  { name: 'switch back', act: ({ from }) => switchTo(from) },
  { name: 'settle', act: ({ from }) => askRelease(from, 'settle') },
  // The schema stays: this release works on it.
  { name: 'functions', act: () => migrate(installedUrl()) },
  { name: 'resume', act: ({ paused }) => resumePaused(paused) },
  // At the machine's start systemd brings them up behind this, and would be waited for in vain.
  {
    name: 'restart',
    act: (_journal, isAtStart) => restart(services, isAtStart ? ['--no-block'] : []),
  },
  { name: 'health', act: ({ from }, isAtStart) => (isAtStart ? nothing() : requireHealth(from)) },
]

/**
 * Makes the release that was to be left the one that runs.
 *
 * @param isAtStart nothing of the panel runs yet, or nobody can wait for it
 */
export async function takeBack(
  journal: Journal,
  isAtStart: boolean,
  observe: Observe,
): Promise<void> {
  await follow(
    steps,
    ({ act }) => act(journal, isAtStart),
    observe,
    () => true,
    // However long one has hung: the services are down until the last ones are done.
    Infinity,
  )
}

// Those of the moment before, which the machine agrees with: nothing of them is closed or held.
async function bringBackRows({ from }: Journal): Promise<void> {
  if (!isThere(restoringFile)) return
  await replaceRows(replacingFile, () => loadRows(installedUrl(), dumpOf(from), []))
  rmSync(restoringFile)
}

const nothing = () => Promise.resolve()

// Whether the API may run by code whose functions, or rows, are about to go.
const mayMeetOther = ({ kind, step }: Journal): boolean =>
  kind === 'rollback' || step === 'restart' || step === 'health'

async function resumePaused(paused: readonly string[]): Promise<void> {
  if (paused.length === 0) return
  const db = openPool(installedUrl(), 'panel_owner', 1)
  try {
    await resumeAll(db, paused)
  } finally {
    await db.end()
  }
}

async function requireHealth(version: string): Promise<void> {
  await askRelease(version, 'health')
  const others = await listOthers(version)
  if (others.length > 0) throw new PanelError('failed', others.join('; '))
}
