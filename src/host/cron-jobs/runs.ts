import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CronRun, CronService } from '../../model/cron-jobs/cron-jobs.ts'
import type { Machine, MachinePart } from '../contract.ts'
import { ensureFile, ensureFolder, isThere, listNames, readFile } from '../tools/files.ts'
import { readCrontabs, toText } from './own-crontabs.ts'
import { locksFolder, runnerFile, runsFolder } from './runner.ts'

// Runs of cron jobs: starting one at once, and reading the reports of all.

type Starter = (uid: number, id: string, mark: string) => Promise<void>

/** Starts the program as a separate process, since the worker may end before the job does. */
export const starter: MachinePart<Starter> = {
  linux: machine => async (uid, id, mark) => {
    const program = ['perl', runnerFile, String(uid), id, mark]
    if (isThere(machine.path('/run/systemd/system'))) {
      const how = ['--quiet', '--collect', '--no-block', '--property=LogLevelMax=notice']
      await machine.run('systemd-run', [...how, '--', ...program])
    } else await machine.run('setsid', ['--fork', ...program])
  },
  // A sandbox runs nothing, and reports success at once.
  sandbox: machine => async (uid, id) => {
    const folder = machine.path(runsFolder)
    ensureFolder(folder, 0o700)
    const now = Date.now()
    const report = `${folder}/${uid}-${id}-${now}.end`
    await ensureFile(report, `${now}\n0\n`, 0o600)
    // Makes the next run's time differ.
    await sleep(1)
  },
}

export const cronServiceOf = (machine: Machine): CronService => ({
  start: ({ uid }, id, mark) => machine.part(starter)(uid, id, mark),
  listRuns: () =>
    listNames(machine.path(runsFolder))
      .filter(name => reportName.test(name))
      .slice(0, maxReports)
      .map(name => readRun(machine, name)),
  confirm(runs) {
    for (const { report } of runs) {
      rmSync(machine.path(`${runsFolder}/${report}`), { force: true })
    }
  },
  readCrontabs: known => readCrontabs(machine, known),
})

const reportName = /^([1-9][0-9]{0,9})-([1-9][0-9]{0,18})-([0-9]{1,15})\.(start|end)$/

// 13 MB of output.
const maxReports = 200

// Only root may use the folder. A report truncated by a full disk has no result.
function readRun(machine: Machine, report: string): CronRun {
  const [, uid = '', id = '', startedMs = '', kind] = reportName.exec(report) ?? []
  const begun = { report, uid: Number(uid), id, startedAt: toTime(startedMs) }
  if (kind === 'start') return begun
  // The program replaces the report of an earlier run.
  const text = readFile(machine.path(`${runsFolder}/${report}`))
  const [, endedMs, exitCode, output = ''] =
    /^([0-9]{1,15})\n([0-9]{1,3})\n([^]*)$/.exec(text ?? '') ?? []
  if (endedMs === undefined) return begun
  const ended = { endedAt: toTime(endedMs), exitCode: Number(exitCode) }
  return { ...begun, ...ended, output: toText(output) }
}

const toTime = (ms: string): string => new Date(Number(ms)).toISOString()

/** Removes reports, locks and marks of an account whose jobs have ended. */
export async function forgetRuns(machine: Machine, uid: number): Promise<void> {
  const ownIn = (folder: string) =>
    listNames(machine.path(folder))
      .filter(name => name.replace(/^\./, '').startsWith(`${uid}-`))
      .map(name => `${machine.path(folder)}/${name}`)
  // The program reports the result a moment after the job's end, while it has the lock.
  for (const lock of ownIn(locksFolder).filter(name => name.endsWith('.lock'))) {
    await machine.run('flock', ['--wait', '5', lock, 'true'], { acceptedCodes: [1] })
  }
  for (const path of [...ownIn(runsFolder), ...ownIn(locksFolder)]) rmSync(path, { force: true })
}
