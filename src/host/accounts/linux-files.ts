import * as fs from 'node:fs'
import { basename, dirname } from 'node:path'
import type { AccountFiles, Machine } from '../contract.ts'
import { isThere } from '../tools/files.ts'
import { renderIndexPage } from '../web/pages.ts'
import { webServer, webServerIds } from './users.ts'

/** Files of accounts on a real machine: what is deep in a home is made and moved as its user. */
export function linuxFiles(run: Machine['run']): AccountFiles {
  const remove = async (path: string, timeoutMs: number, ...before: string[]) => {
    const [command = '', ...args] = [...before, 'rm', '-rf', '--one-file-system', '--', path]
    await run(command, args, { timeoutMs })
  }
  return {
    owner: (uid, group) => ({ uid, gid: group === 'web server' ? webServerIds().gid : group }),
    prepare: () => packSkeleton(run),

    async makeSite(uid, path) {
      if (!fs.existsSync(skeleton)) await packSkeleton(run)
      const how = ['--acls', '--no-same-owner', '-p', '-m']
      const place = [`--one-top-level=${basename(path)}`, '-C', dirname(path)]
      await run('tar', [...how, '-xf', skeleton, ...place], { as: uid })
    },

    async admitWebServer(uid, sites) {
      const way = ['-m', `u:${webServer}:--x`]
      const whole = ['-R', '-P', '-m', `u:${webServer}:rX,d:u:${webServer}:rX`]
      for (const site of sites.filter(path => fs.existsSync(`${path}/public`))) {
        await run('setfacl', [...way, '--', site], { as: uid })
        await run('setfacl', [...whole, '--', `${site}/public`], { as: uid })
      }
    },

    async discard(uid, path) {
      if (isThere(path)) await run('rm', ['-rf', '--', path], { as: uid })
    },

    async moveAside(uid, from, to) {
      if (isThere(from)) await run('perl', ['-e', rename, '--', from, to], { as: uid })
    },

    removeIdly: path => remove(path, idleLimitMs, 'nice', '-n', '19', 'ionice', '-c', '3'),
    removeNow: path => remove(path, removeLimitMs),

    async measure(uid, home) {
      // The home itself is root's. Files that go while they are counted, and folders that their
      // user has closed to itself, make `du` end with 1; it tells the sum all the same.
      const folders = ['sites', 'files', 'tmp', 'logs'].map(name => `${home}/${name}`)
      const options = { timeoutMs: countLimitMs, acceptedCodes: [1], as: uid }
      const said = await run('du', ['-s', '-c', '-x', '--block-size=1', '--', ...folders], options)
      const total = /^([0-9]+)\ttotal$/m.exec(said)?.[1]
      if (total === undefined) throw new Error('du tells no total')
      return Number(total)
    },
  }
}

// A create that is undone has brought little; far below what an operation may take as a whole.
const removeLimitMs = 120_000
// Far more than ten million files take; the next turn goes on where this one was cut off.
const idleLimitMs = 1_800_000
/** A home of some ten million files; beyond it the next turn tries again. */
const countLimitMs = 300_000

// One call of rename(2), as `mv` would copy what it can't rename. A folder that moves to another
// one must be writable itself. `lstat` and `rename` follow no link in the last name of a path.
const rename =
  'my ($from, $to) = @ARGV; my @found = lstat $from or exit; ' +
  '-d _ and chmod $found[2] & 07777 | 0700, $from; ' +
  'my ($place, $count) = ($to, 1); $place = "$to-" . ++$count while lstat $place; ' +
  'rename $from, $place or die "$from: $!\\n"'

// What a new website's folder begins with: an archive whose entries carry their modes and the
// access lists for the web server, so that its account unpacks it in one process.
const skeleton = '/var/lib/panel/site.tar'

/** Makes the archive anew; nobody may need it meanwhile. */
async function packSkeleton(run: Machine['run']): Promise<void> {
  const [above, name] = [dirname(skeleton), 'site-']
  // What a start that was killed has left.
  for (const left of fs.readdirSync(above).filter(one => one.startsWith(name))) {
    fs.rmSync(`${above}/${left}`, recursively)
  }
  // Nobody but root may look into it meanwhile.
  const folder = fs.mkdtempSync(`${above}/${name}`)
  try {
    const [place, fresh] = [`${folder}/site/public`, `${folder}/site.tar`]
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(`${place}/index.html`, renderIndexPage())
    await run('chmod', ['-R', 'u=rwX,g=rX,o=', '--', `${folder}/site`])
    await run('setfacl', ['-m', `u:${webServer}:--x`, '--', `${folder}/site`])
    await run('setfacl', ['-R', '-m', `u:${webServer}:rX,d:u:${webServer}:rX`, '--', place])
    await run('tar', ['--acls', '-C', `${folder}/site`, '-cf', fresh, '.'])
    fs.chmodSync(fresh, 0o644)
    fs.renameSync(fresh, skeleton)
  } finally {
    fs.rmSync(folder, recursively)
  }
}

const recursively = { recursive: true, force: true }
