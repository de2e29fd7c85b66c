import * as fs from 'node:fs'
import type { Machine } from '../machine.ts'
import { renderIndexPage } from '../web/pages.ts'

// What a new website's folder begins with: an archive whose entries carry their modes and the
// access lists for the web server, so that its account unpacks it in one process.

const archive = '/var/lib/panel/site.tar'

/** Makes the archive anew; nobody may need it meanwhile. */
export async function prepareSkeleton(machine: Machine): Promise<void> {
  // What a start that was killed has left.
  for (const name of fs.readdirSync(machine.path('/var/lib/panel'))) {
    if (name.startsWith('site-')) fs.rmSync(machine.path(`/var/lib/panel/${name}`), recursively)
  }
  await pack(machine)
}

async function pack({ kind, path, run }: Machine): Promise<void> {
  // The sandbox has no tools to make it with.
  if (kind === 'sandbox') return
  // Nobody but root may look into it meanwhile.
  const folder = fs.mkdtempSync(path('/var/lib/panel/site-'))
  try {
    const [place, fresh] = [`${folder}/site/public`, `${folder}/site.tar`]
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(`${place}/index.html`, renderIndexPage())
    await run('chmod', ['-R', 'u=rwX,g=rX,o=', '--', `${folder}/site`])
    await run('setfacl', ['-m', 'u:www-data:--x', '--', `${folder}/site`])
    await run('setfacl', ['-R', '-m', 'u:www-data:rX,d:u:www-data:rX', '--', place])
    await run('tar', ['--acls', '-C', `${folder}/site`, '-cf', fresh, '.'])
    fs.chmodSync(fresh, 0o644)
    fs.renameSync(fresh, path(archive))
  } finally {
    fs.rmSync(folder, recursively)
  }
}

/** Makes a website's folder of that name in a folder of the account's, as the account. */
export async function unpackSkeleton(
  machine: Machine,
  uid: number,
  { name, folder }: { name: string; folder: string },
): Promise<void> {
  if (!fs.existsSync(machine.path(archive))) await pack(machine)
  const as = ['--acls', '--no-same-owner', '-p', '-m']
  const place = [`--one-top-level=${name}`, '-C', folder]
  await machine.run('tar', [...as, '-xf', archive, ...place], { as: uid })
}

const recursively = { recursive: true, force: true }
