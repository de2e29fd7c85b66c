import * as fs from 'node:fs'
import { opendir } from 'node:fs/promises'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { listNames, readFile } from '../tools/files.ts'
import type { Machine, Resource } from '../contract.ts'
import { hasKernel } from './user-processes.ts'
import { unlessUnmanaged } from './users.ts'

// World-writable folders, where files can outlive a home. Not every machine has the last one.
const locations = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock', '/dev/mqueue']

// Much longer than a disk full of small files takes.
const limitMs = 120_000

/** Files that the account leaves in world-writable folders. */
export const orphanedFiles: Resource = {
  name: 'orphaned files',
  remove: unlessUnmanaged(removeOrphanedFiles),
}

async function removeOrphanedFiles(machine: Machine, account: HostAccount): Promise<void> {
  // A sandbox runs nothing that could leave files.
  if (!hasKernel(machine)) return
  const { uid } = account
  await removeBelow(machine, uid, locations)
  const folders = await removeSessions(uid)
  for (let start = 0; start < folders.length; start += maxPaths) {
    const some = folders.slice(start, start + maxPaths)
    // By path: a user that cannot list a folder cannot start a program from inside it.
    const tops = { paths: some, depth: ['-maxdepth', '0'] }
    await find(machine, uid, tops, [...closed, '-exec', ...open])
    await removeBelow(machine, uid, some)
  }
  removeJournals(uid)
  removeByName(machine, account)
  await removeSharedMemory(machine, uid)
}

// As many paths of the maximum length as fit into one command line.
const maxPaths = 500

// Opens folders that are closed to their own user first, each from within its parent: they may be
// nested deeper than a path can be long.
async function removeBelow(machine: Machine, uid: number, paths: string[]): Promise<void> {
  await find(machine, uid, { paths, depth: ['-mindepth', '1'] }, [...closed, '-execdir', ...open])
  await find(machine, uid, { paths }, ['-delete'])
}

const closed = ['-type', 'd', '!', '-perm', '-u=rwx']
const open = ['chmod', 'u+rwx', '--', '{}', ';']

// Runs as the user: a planted link leads only to files that the user could remove itself. `find`
// exits with 1 if files disappear meanwhile.
async function find(
  { run }: Machine,
  uid: number,
  { paths, depth = [] }: { paths: string[]; depth?: string[] },
  what: string[],
): Promise<void> {
  const theirs = ['-xdev', '-uid', String(uid), ...what]
  const how = { as: uid, timeoutMs: limitMs, acceptedCodes: [1] }
  await run('find', [...paths, ...depth, ...theirs], how)
}

// Debian's PHP keeps sessions here that start outside of php-fpm, as from cron: everyone may write
// there and only root may list it. A removal takes a name and follows no link; folders are left to
// the user, and returned.
const sessions = '/var/lib/php/sessions'

// There may be a million sessions: they are read some hundred at a time, and the worker does other
// work in between.
async function removeSessions(uid: number): Promise<string[]> {
  const folders: string[] = []
  if (!fs.existsSync(sessions)) return folders
  for await (const { name } of await opendir(sessions, { bufferSize: maxInTurn })) {
    const path = `${sessions}/${name}`
    const found = fs.lstatSync(path, { throwIfNoEntry: false })
    if (found?.uid !== uid) continue
    if (found.isDirectory()) folders.push(path)
    else fs.rmSync(path, { force: true })
  }
  return folders
}

// With this many, a turn of the event loop takes some milliseconds.
const maxInTurn = 250

// The journal's files of a user, current and full, in root's own folders: one for each machine that
// ever ran from this disk. New ones are not made (services/journal.ts).
const journals = ['/var/log/journal', '/run/log/journal']

function removeJournals(uid: number): void {
  for (const folder of journals.flatMap(one => listNames(one).map(name => `${one}/${name}`))) {
    const names = fs.statSync(folder).isDirectory() ? fs.readdirSync(folder) : []
    const theirs = names.filter(name => new RegExp(`^user-${uid}(@.*)?\\.journal~?$`).test(name))
    for (const name of theirs) fs.rmSync(`${folder}/${name}`, { force: true })
  }
}

// Files that the mail server and logind keep by user name: the next user of that name would inherit
// them. Each is in a folder owned by root.
const foldersByName = ['/var/mail', '/var/lib/systemd/linger']

function removeByName(machine: Machine, { username, uid }: HostAccount): void {
  // Without its user, the name may belong to another account by now.
  if (machine.users.find(username) !== uid) return
  for (const path of foldersByName.map(location => `${location}/${username}`)) {
    const found = fs.lstatSync(path, { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) fs.rmSync(path, { force: true })
  }
}

// Shared memory, semaphores and message queues of System V, which last until they are removed.
const kinds = ['shm', 'sem', 'msg']

// The numbers mean IPC_RMID and the first semaphore; objects that are already gone are ignored.
const removeAll =
  'while (my ($kind, $id) = splice @ARGV, 0, 2) { my $done = $kind eq "shm" ? shmctl($id, 0, 0) ' +
  ': $kind eq "msg" ? msgctl($id, 0, 0) : semctl($id, 0, 0, 0); ' +
  '$done or $!{EINVAL} or $!{EIDRM} or die "$kind $id: $!" }'

async function removeSharedMemory(machine: Machine, uid: number): Promise<void> {
  const found = kinds.flatMap(kind => idsOf(kind, uid).flatMap(id => [kind, id]))
  // As the user, since an id may belong to another user by now.
  if (found.length > 0) await machine.run('perl', ['-e', removeAll, '--', ...found], { as: uid })
}

// Reads a table whose first line names the columns; the second column has the ids. The creator of
// an object may remove it, even if it has another owner by now.
function idsOf(kind: string, uid: number): string[] {
  const text = readFile(`/proc/sysvipc/${kind}`) ?? ''
  const [names = [], ...rows] = text.split('\n').map(line => line.trim().split(/ +/))
  const [owner, maker] = [names.indexOf('uid'), names.indexOf('cuid')]
  return rows
    .filter(row => [row[owner], row[maker]].includes(String(uid)))
    .flatMap(row => row[1] ?? [])
}
