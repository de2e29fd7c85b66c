import * as fs from 'node:fs'
import { basename, dirname } from 'node:path'
import type { AccountFiles, Machine } from '../contract.ts'
import { ensureFolder, isFolder, isThere } from '../tools/files.ts'
import { renderIndexPage } from '../web/pages.ts'
import { readHtaccess } from './linux-htaccess.ts'
import { trash } from './trash.ts'
import { webServer, webServerIds } from './users.ts'

/** Files of accounts on a real machine: anything deep in a home is made and moved as its user. */
export function linuxFiles(run: Machine['run']): AccountFiles {
  const remove = async (path: string, timeoutMs: number, ...before: string[]) => {
    const [command = '', ...args] = [...before, 'rm', '-rf', '--one-file-system', '--', path]
    await run(command, args, { timeoutMs })
  }
  const [pack, nurse] = [shared(() => packSkeleton(run)), shared(() => makeNursery(run))]
  return {
    owner: (uid, group) => ({ uid, gid: group === 'web server' ? webServerIds().gid : group }),
    prepare: pack,

    async makeSite(uid, path) {
      if (!fs.existsSync(skeleton)) await pack()
      const how = ['--acls', '--no-same-owner', '-p', '-m']
      const location = [`--one-top-level=${basename(path)}`, '-C', dirname(path)]
      await run('tar', [...how, '-xf', skeleton, ...location], { as: uid })
    },

    async makeFolder(path, mode, owner) {
      if (!fs.existsSync(nursery)) await nurse()
      // The nursery's default access list applies to new files, so no process has to write it.
      const fresh = `${nursery}/${basename(dirname(path))}-${basename(path)}`
      ensureFolder(fresh, mode, owner)
      fs.renameSync(fresh, path)
    },

    // A tree of a million files takes half a minute.
    admitWebServer: (uid, folders) => admit(run, uid, folders, { heirs: folders }),

    async listUnreadable(paths, { timeoutMs, withClosed = false, isFlat = false }) {
      if (paths.length === 0) return { paths: [], isWhole: true }
      const { uid, gid } = webServerIds()
      const open = (group: string) => (withClosed ? [] : ['-perm', group])
      const files = ['-type', 'f', ...open('-040'), '!', '-readable']
      const folders = ['-type', 'd', ...open('-010'), '!', '-executable']
      const depth = isFlat ? ['-maxdepth', '0'] : []
      const which = [...files, '-o', ...folders, '-o', '-path', last]
      const what = [...depth, '-xdev', '(', ...which, ')', '-print0']
      const limit = [...idly, 'timeout', `${timeoutMs / 1_000}`]
      const [command = '', ...args] = [...limit, 'find', '-P', ...paths, last, ...what]
      const text = await run(command, args, {
        ...{ as: uid, group: gid, outputLimit: listLimit, timeoutMs: timeoutMs + 1_000 },
        // `find` exits with 1 if it cannot read everything, and with 124 if it is stopped for
        // taking too long.
        acceptedCodes: [1, 124],
      })
      // The last path may be truncated.
      const found = text.split('\0').slice(0, -1)
      const isWhole = found.at(-1) === last
      return { paths: isWhole ? found.slice(0, -1) : found, isWhole }
    },

    async readmitWebServer(uid, paths) {
      for (let start = 0; start < paths.length; start += maxPaths) {
        const some = paths.slice(start, start + maxPaths)
        await admit(run, uid, some, { heirs: some.filter(path => isFolder(path)) })
      }
    },

    readHtaccess: (uid, among, limits) => readHtaccess(run, uid, among, limits),

    async removeSessions(uid, folder, seconds) {
      const which = ['-maxdepth', '1', '-xdev', '-type', 'f', '-name', 'sess_*']
      const old = ['-mmin', `+${Math.ceil(seconds / 60)}`, '-delete']
      const [command = '', ...args] = [...idly, 'find', '-P', folder, ...which, ...old]
      await run(command, args, { as: uid, acceptedCodes: [1], timeoutMs: sweepLimitMs })
    },

    async discard(uid, path) {
      if (isThere(path)) await run('rm', ['-rf', '--', path], { as: uid })
    },

    async moveAside(uid, from, to) {
      if (isThere(from)) await run('perl', ['-e', rename, '--', from, to], { as: uid })
    },

    removeIdly: path => remove(path, idleLimitMs, ...idly),
    removeNow: path => remove(path, removeLimitMs),

    async measure(uid, home, more) {
      // The home itself is root's. If files disappear during the count, or the user has closed
      // folders to itself, `du` exits with 1 but still prints the total.
      const own = ['sites', 'files', 'tmp', 'logs'].map(name => `${home}/${name}`)
      const folders = [...own, ...more]
      const options = { timeoutMs: countLimitMs, acceptedCodes: [1], as: uid }
      const output = await run(
        'du',
        ['-s', '-c', '-x', '--block-size=1', '--', ...folders],
        options,
      )
      const total = /^([0-9]+)\ttotal$/m.exec(output)?.[1]
      if (total === undefined) throw new Error('du reported no total')
      return Number(total)
    },
  }
}

const idly = ['nice', '-n', '19', 'ionice', '-c', '3']
// A sweep that is cut off continues in the next turn.
const sweepLimitMs = 60_000
// Maximum paths for one start of setfacl: paths of 4 kB each fit into its arguments.
const maxPaths = 250
const listLimit = 1_000_000
// Checked and printed last; no file of an account has this name.
const last = '/dev/null'
const admitLimitMs = 120_000

/**
 * Lets the web server read the existing files, as far as their group may, and everything that will
 * be made in the named folders. Masks and modes of existing files stay: a file that its account has
 * closed to its group stays closed.
 */
async function admit(
  run: Machine['run'],
  uid: number,
  paths: readonly string[],
  { heirs }: { heirs: readonly string[] },
): Promise<void> {
  // Some files may belong to other users, or disappear meanwhile.
  const options = { as: uid, acceptedCodes: [1], timeoutMs: admitLimitMs }
  const whole = ['-R', '-P', '-m']
  await run('setfacl', ['-n', ...whole, `u:${webServer}:rX`, '--', ...paths], options)
  if (heirs.length === 0) return
  await run('setfacl', [...whole, heritage, '--', ...heirs], options)
}

// New files in a folder can be read by the web server and by the group, which only the account is
// in.
const heritage = `d:g::rx,d:u:${webServer}:rx`

// Runs one call at a time; concurrent callers share its result. Many lanes need the same at once.
function shared(make: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= make().finally(() => (running = undefined)))
}

// Next to the homes, so that files made in it can be renamed into them.
const nursery = `${trash}/new`

async function makeNursery(run: Machine['run']): Promise<void> {
  const fresh = `${trash}/.new`
  ensureFolder(fresh, 0o700)
  await run('setfacl', ['-m', heritage, '--', fresh])
  fs.renameSync(fresh, nursery)
}

// An undone create has written little; far below the time limit of an operation.
const removeLimitMs = 120_000
// Much longer than ten million files take; a removal that is cut off continues in the next turn.
const idleLimitMs = 1_800_000
/** Enough for a home of ten million files; larger ones are counted again in the next turn. */
const countLimitMs = 300_000

// Calls rename(2) once, as `mv` would copy what it cannot rename. A folder that moves into another
// one must be writable itself. `lstat` and `rename` do not follow a link in the last name of a
// path.
const rename =
  'my ($from, $to) = @ARGV; my @found = lstat $from or exit; ' +
  '-d _ and chmod $found[2] & 07777 | 0700, $from; ' +
  'my ($location, $count) = ($to, 1); $location = "$to-" . ++$count while lstat $location; ' +
  'rename $from, $location or die "$from: $!\\n"'

// Archive of a new website's initial folder: its entries carry their modes and the access lists for
// the web server, so that its account unpacks it in one process.
const skeleton = '/var/lib/panel/site.tar'

/** Rebuilds the archive; it must not be in use meanwhile. */
async function packSkeleton(run: Machine['run']): Promise<void> {
  const [above, name] = [dirname(skeleton), 'site-']
  // Left by a killed start.
  for (const left of fs.readdirSync(above).filter(one => one.startsWith(name))) {
    fs.rmSync(`${above}/${left}`, recursively)
  }
  // Only root may read it meanwhile.
  const folder = fs.mkdtempSync(`${above}/${name}`)
  try {
    const [location, fresh] = [`${folder}/site/public`, `${folder}/site.tar`]
    fs.mkdirSync(location, { recursive: true })
    fs.writeFileSync(`${location}/index.html`, renderIndexPage())
    await run('chmod', ['-R', 'u=rwX,g=rX,o=', '--', `${folder}/site`])
    const readable = `u:${webServer}:rX,d:u:${webServer}:rX`
    await run('setfacl', ['-R', '-m', readable, '--', `${folder}/site`])
    await run('tar', ['--acls', '-C', `${folder}/site`, '-cf', fresh, '.'])
    fs.chmodSync(fresh, 0o644)
    fs.renameSync(fresh, skeleton)
  } finally {
    fs.rmSync(folder, recursively)
  }
}

const recursively = { recursive: true, force: true }
