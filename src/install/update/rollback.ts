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
import { keepApiStopped, stopApi } from './worker-pause.ts'
import type { Journal } from './journal.ts'
import { replacingFile, restoringFile } from './paths.ts'
import { replaceRows } from './replace-rows.ts'
import { askRelease, listOthers, switchTo } from './releases.ts'
import { PanelError } from '../../errors.ts'
import { restart } from './restart.ts'

type Step = { name: string; act: (journal: Journal, isAtStart: boolean) => Promise<void> }

// Runs the code of the release to return to. A failure does not stop the remaining steps.
const steps: readonly Step[] = [
  {
    name: 'stop',
    act(journal, isAtStart) {
      if (!mayMeetOther(journal)) return nothing()
      // At the machine's start, this unit runs before the API anyway.
      return isAtStart ? stopApi() : keepApiStopped()
    },
  },
  {
    name: 'database',
    act: (_journal, isAtStart) => (isAtStart ? untilDatabaseAnswers(installedUrl()) : nothing()),
  },
  { name: 'rows', act: restoreRowsBefore },
  { name: 'switch back', act: ({ from }) => switchTo(from) },
  { name: 'prepare', act: ({ from }) => askRelease(from, 'prepare') },
  // The schema stays: this release works on it.
  { name: 'functions', act: () => migrate(installedUrl()) },
  { name: 'resume', act: ({ paused }) => resumePaused(paused) },
  // At the machine's start systemd starts them after this unit, so waiting for them would never
  // end.
  {
    name: 'restart',
    act: (_journal, isAtStart) => restart(services, isAtStart ? ['--no-block'] : []),
  },
  { name: 'health', act: ({ from }, isAtStart) => (isAtStart ? nothing() : requireHealth(from)) },
]

/**
 * Makes the release that was to be replaced the running one again.
 *
 * @param isAtStart nothing of the panel runs yet, or it cannot be waited for
 */
export async function undoUpdate(
  journal: Journal,
  isAtStart: boolean,
  observe: Observe,
): Promise<void> {
  await follow(
    steps,
    ({ act }) => act(journal, isAtStart),
    observe,
    () => true,
    // No time limit: the services are down until the last steps are done.
    Infinity,
  )
}

// Restores the rows of the moment before, which the machine agrees with: nothing is closed or
// restricted.
async function restoreRowsBefore({ from }: Journal): Promise<void> {
  if (!isThere(restoringFile)) return
  await replaceRows(replacingFile, () => loadRows(installedUrl(), dumpOf(from), []))
  rmSync(restoringFile)
}

const nothing = () => Promise.resolve()

// Returns whether the API may be running code whose functions, or rows, are about to change.
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
