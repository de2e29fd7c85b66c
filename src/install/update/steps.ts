import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { installationDir } from '../../config.ts'
import { openPool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { run } from '../../host/tools/run.ts'
import { type Manifest, readManifest } from '../manifest.ts'
import { ownRelease, releasesFolder } from '../release.ts'
import { installedUrl } from '../settings.ts'
import { readTrusted } from '../trusted-keys.ts'
import { newestOf } from '../../model/server/versions.ts'
import { obtainArchive } from './download.ts'
import { drain } from './drain.ts'
import { dumpOf, makeDump } from './dump.ts'
import { forget } from './fetch.ts'
import {
  type Journal,
  readHistory,
  removeJournal,
  type Request,
  writeHistory,
  writeJournal,
  writeOutcome,
} from './journal.ts'
import type { Change, ChangeStep } from './change.ts'
import { keepApiStopped } from './worker-pause.ts'
import { validateManifest } from './validate.ts'
import { downloadFolder, restoringFile } from './paths.ts'
import { askRelease, listOthers, removeOthers, switchTo } from './releases.ts'
import { restart } from './restart.ts'
import { restoreStep } from './restore.ts'
import { archiveOf, isAddress, readManifestText } from './source.ts'
import { unpack } from './unpack.ts'
import { knownTo, requireKnownWork } from './rollback-target.ts'

const manifestStep: ChangeStep = {
  name: 'manifest',
  async act(change) {
    const { manifest: location, to } = change.request
    const manifest = readManifest(await readManifestText(location ?? ''), readTrusted())
    const { version, architecture } = ownRelease()
    const { highest } = readHistory()
    validateManifest(manifest, { version, architecture, highest, now: new Date() })
    if (manifest.version !== to) {
      throw new PanelError('invalid', `The manifest is for ${manifest.version}, not for ${to}`)
    }
    change.manifest = manifest
  },
}

const archiveStep: ChangeStep = {
  name: 'archive',
  async act(change) {
    await obtainArchive(sourceOf(change), downloadFolder, manifestOf(change))
  },
}

const unpackStep: ChangeStep = {
  name: 'unpack',
  async act(change) {
    const manifest = manifestOf(change)
    const path = join(downloadFolder, manifest.archive)
    try {
      await unpack(path, releasesFolder, manifest)
    } finally {
      // A downloaded archive is kept for a retry until this update is done.
      if (!isAddress(sourceOf(change))) forget(path)
    }
  },
}

const manifestOf = ({ manifest }: Change): Manifest => {
  if (manifest === undefined) throw new Error('There is no manifest')
  return manifest
}

/** Returns the source of the archive. */
const sourceOf = (change: Change): string =>
  archiveOf(change.request.manifest ?? '', manifestOf(change).archive)

// Checks that an update needs; other findings of the doctor do not stop it, as it may be the
// remedy.
const needed = /^(database|disk)\//

const doctorStep: ChangeStep = {
  name: 'doctor',
  async act() {
    const command = [join(installationDir, 'bin/panel.cjs'), 'ctl', 'doctor', '--json']
    const text = await run(process.execPath, command, {
      ...{ timeoutMs: 120_000, outputLimit: 1_000_000, acceptedCodes: [1, 2] },
    })
    const { checks } = JSON.parse(text) as {
      checks: { name: string; state: string; sentence: string; advice: string | null }[]
    }
    const failed = checks.filter(({ name, state }) => state === 'failure' && needed.test(name))
    if (failed.length === 0) return
    const words = failed.map(({ sentence, advice }) => `${sentence} (${advice})`)
    throw new PanelError('unavailable', words.join('; '))
  },
}

const migrateStep: ChangeStep = {
  name: 'migrate',
  act: ({ journal }) => askRelease(journal.to, 'migrate'),
}

const prepareStep: ChangeStep = {
  name: 'prepare',
  act: ({ journal }) => askRelease(journal.to, 'prepare'),
}

const drainStep: ChangeStep = {
  name: 'drain',
  async act({ journal }) {
    return drain(async paused => {
      journal.paused = paused
      await writeJournal(journal)
    })
  },
}

const dumpStep: ChangeStep = {
  name: 'dump',
  act: ({ journal }) => makeDump(installedUrl(), dumpOf(journal.from)),
}

// Old code must not meet new functions, or change rows that are being replaced: callers wait at the
// socket.
const stopStep: ChangeStep = { name: 'stop', act: () => keepApiStopped() }

// The command already checked this; check again for work begun since.
const workStep: ChangeStep = {
  name: 'work',
  async act({ journal: { to } }) {
    const db = openPool(installedUrl(), 'panel_owner', 1)
    try {
      await requireKnownWork(db, to, await knownTo(to))
    } finally {
      await db.end()
    }
  },
}

const switchStep: ChangeStep = { name: 'switch', act: ({ journal }) => switchTo(journal.to) }

const restartStep: ChangeStep = {
  name: 'restart',
  async act() {
    // Operations wait for the worker, and the API's socket accepts calls meanwhile.
    for (const service of ['panel-worker', 'panel-courier', 'panel-api']) {
      await restart([service])
    }
  },
}

const healthStep: ChangeStep = {
  name: 'health',
  async act({ journal: { to } }) {
    await askRelease(to, 'health')
    const others = await listOthers(to)
    if (others.length > 0) throw new PanelError('failed', others.join('; '))
  },
}

/** From this step on, nothing is undone. */
export const lastStep: ChangeStep = { name: 'keep', act: ({ journal }) => keep(journal) }

/** Records the installed version, and removes releases that no rollback needs. */
export async function keep({ kind, from, to }: Journal): Promise<void> {
  const history = readHistory()
  const previous = history.previous.filter(version => version !== to && version !== from)
  const kept = kind === 'update' ? [from, ...previous].slice(0, 2) : previous
  const highest = newestOf([from, to, ...(history.highest === null ? [] : [history.highest])])
  rmSync(restoringFile, { force: true })
  await writeHistory({ highest: highest ?? to, previous: kept })
  await writeOutcome({ kind, from, to, outcome: 'done', step: null, reason: null })
  await removeJournal()
  // A release that was rolled back from is kept for inspection until the next update.
  removeOthers(kind === 'update' ? [to, ...kept] : [to, from, ...kept])
}

/** Steps that do not affect the running panel. */
export const preparation: Record<Request['kind'], readonly ChangeStep[]> = {
  update: [manifestStep, archiveStep, unpackStep, doctorStep],
  rollback: [],
}

/** Steps whose failure is undone. */
export const stepsOf = ({ kind, restoresDatabase }: Request): readonly ChangeStep[] =>
  kind === 'update'
    ? [
        ...[migrateStep, prepareStep, drainStep, dumpStep, switchStep],
        ...[restartStep, healthStep, lastStep],
      ]
    : [
        ...[prepareStep, drainStep, stopStep, workStep],
        // Taken when rows no longer change, so that they can be restored after a failure.
        ...(restoresDatabase ? [dumpStep, restoreStep] : []),
        ...[migrateStep, switchStep, restartStep, healthStep, lastStep],
      ]
