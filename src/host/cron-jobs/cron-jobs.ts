import type { HostAccount } from '../../model/accounts/host-account.ts'
import { isUnmanaged } from '../accounts/users.ts'
import type { Drift, Machine, Resource } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { agrees, ensureFile, ensureFolder, isThere, removeFile } from '../tools/files.ts'
import { commandsOf, crontabOf, jobsOf, renderCommands, renderCrontab } from './files.ts'
import { cronFolder, renderRunner, runnerFile } from './runner.ts'
import { cronServiceOf, forgetRuns } from './runs.ts'

// Commands that run on a schedule within the account's limits: cron starts a program of the panel,
// which starts the job in the account's slice and keeps its output.

/** The account's cron jobs; those in its own crontab are a different resource (access/cron.ts). */
export const cronJobs: Resource = {
  name: 'cron jobs',
  isNeeded: (machine, { uid, cronJobs }) =>
    cronJobs !== undefined ||
    [crontabOf(uid), commandsOf(uid)].some(path => isThere(machine.path(path))),
  // No job starts before limits are set, or for an account that is half made.
  needs: ['quota', 'slice', 'unlock'],
  ensure,
  suspend: stop,
  async remove(machine, account) {
    if (isUnmanaged(machine.users, account)) return
    await stop(machine, account)
  },
  async clear(machine, account) {
    if (!isUnmanaged(machine.users, account)) await forgetRuns(machine, account.uid)
  },
  drift: machine => account => drift(machine, account),
  serve: cronServiceOf,
}

// The commands come first: without them cron starts nothing.
async function ensure(machine: Machine, account: HostAccount): Promise<void> {
  const { uid } = account
  if (jobsOf(account).length === 0) return stop(machine, account)
  ensureFolder(machine.path(cronFolder), 0o755)
  // On a real machine the folder exists, and its mode is cron's.
  if (!isThere(machine.path('/etc/cron.d'))) ensureFolder(machine.path('/etc/cron.d'), 0o755)
  await ensureFile(machine.path(runnerFile), renderRunner(), 0o755)
  const owner = machine.files.owner(0, uid)
  await ensureFile(machine.path(commandsOf(uid)), renderCommands(account), 0o640, owner)
  await ensureFile(machine.path(crontabOf(uid)), renderCrontab(account), 0o644)
}

// Remove the commands first here too: a job that cron has just started reads its command before it
// begins, and one that has begun is ended with the account's processes.
async function stop(machine: Machine, { uid }: HostAccount): Promise<void> {
  for (const path of [commandsOf(uid), crontabOf(uid)]) {
    if (!isThere(machine.path(path))) continue
    removeFile(machine.path(path))
    await machine.sync(path.slice(0, path.lastIndexOf('/')))
  }
}

function drift(machine: Machine, account: HostAccount): (Drift | string)[] {
  const { uid } = account
  if (jobsOf(account).length === 0) {
    const left = [commandsOf(uid), crontabOf(uid)].filter(path => isThere(machine.path(path)))
    return left.map(path => `${path} is still there`)
  }
  const owner = machine.files.owner(0, uid)
  // The drift shows no command: a command may contain a password.
  const commands = agrees(machine.path(commandsOf(uid)), renderCommands(account), 0o640, owner)
    ? []
    : ['the commands of its cron jobs differ']
  const runner = agrees(machine.path(runnerFile), renderRunner(), 0o755)
    ? []
    : [`${runnerFile} differs`]
  return [...fileDrift(machine, crontabOf(uid), renderCrontab(account)), ...commands, ...runner]
}
