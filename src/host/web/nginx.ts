import * as fs from 'node:fs'
import type { HostAccount } from '../../model/host-account.ts'
import {
  agrees,
  ensureFile,
  isThere,
  readFile,
  removeFile,
  syncFolder,
  writeFiles,
} from '../tools/files.ts'
import { asError, type Outcome } from '../tools/group-commit.ts'
import type { Machine, Resource, VhostChange } from '../contract.ts'
import { fileDrift } from '../tools/file-drift.ts'
import { listDifferingShared, prepareNginx } from './nginx-prepare.ts'
import { checkFile, live, ownFile, renderCheck, staleFile, staging } from './nginx-shared.ts'
import { findServed } from './served-certificate.ts'
import { renderActive, renderSuspended } from './vhost.ts'

// One file a website, named by the site's number. A file comes into the live folder only after a
// test of the machine's whole configuration together with it, so nginx starts whenever it is asked
// to; and a bad one fails nobody but its own operation.

/** What nginx knows of the account's websites. */
export const vhosts: Resource = {
  name: 'vhosts',
  ensure: (machine, account) => ensureVhosts(machine, account),
  async remove({ publish }, { sites, leaving }) {
    const gone = [...sites, ...leaving].map(({ id }) => id)
    if (gone.length > 0) await publish({ texts: new Map(), gone })
  },
  look: machine => account => [
    ...[...vhostsOf(machine, account)].flatMap(([id, text]) =>
      fileDrift(machine, fileOf(id), text),
    ),
    ...account.leaving
      .filter(({ id }) => isThere(machine.path(fileOf(id))))
      .map(({ domain }) => `the website ${domain} is still served`),
  ],
}

const fileOf = (id: string, folder = live): string => `${folder}/${id}.conf`

/**
 * Has nginx serve the account's sites, or say that they are suspended, and forget those that leave.
 *
 * @param arriving files with a key and certificate for sites that have to prove themselves first
 */
export async function ensureVhosts(
  machine: Machine,
  account: HostAccount,
  arriving: ReadonlyMap<string, string> = new Map(),
): Promise<string | void> {
  const gone = account.leaving.map(({ id }) => id)
  if (account.sites.length + gone.length === 0) return
  return machine.publish({ texts: vhostsOf(machine, account, arriving), gone })
}

// The texts of the account's sites, by their numbers.
function vhostsOf(
  machine: Machine,
  { sites, username, uid, wanted }: HostAccount,
  arriving: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const render = wanted === 'active' ? renderActive : renderSuspended
  return new Map(
    sites.map(({ id, domain }) => {
      const certificate = arriving.get(id) ?? findServed(machine, id)
      return [id, render({ siteId: id, domain, username, uid, certificate })]
    }),
  )
}

/**
 * Brings changes of several accounts into nginx with one test and one reload. It reloads even
 * when every file agrees: nginx may have been given back what it had read before.
 */
export async function publish(machine: Machine, changes: VhostChange[]): Promise<Outcome[]> {
  const at = (folder: string, id: string) => machine.path(fileOf(id, folder))
  const isNew = ([id, text]: [string, string]) => !agrees(at(live, id), text, fileMode)
  const stale = machine.path(staleFile)
  const fresh = changes.flatMap(({ texts }) => [...texts].filter(isNew))
  const gone = changes.flatMap(change => change.gone).filter(id => isThere(at(live, id)))
  const isIdle = gone.length === 0 && changes.every(asksNothing)
  if (isIdle && !fs.existsSync(stale)) return changes.map(() => undefined)
  try {
    // What a killed worker left there is part of no test.
    emptyFolder(machine.path(staging))
    const files = fresh.map(([id, text]) => ({ path: at(staging, id), text, mode: fileMode }))
    if (fresh.length > 0) await writeFiles(files, machine.isDurable)
    await test(machine)
  } catch (error) {
    emptyFolder(machine.path(staging))
    // The good ones don't wait for the bad one to be mended.
    return changes.length > 1 ? apart(machine, changes) : [asError(error)]
  }
  // A process that dies between the first rename and the reload is succeeded by one that sees it.
  // Memory is enough: nginx that starts with the machine reads what there is.
  fs.writeFileSync(stale, '')
  for (const [id] of fresh) fs.renameSync(at(staging, id), at(live, id))
  for (const id of gone) removeFile(at(live, id))
  if (machine.isDurable && fresh.length + gone.length > 0) await syncFolder(machine.path(live))
  const warning = await machine.services.reload('nginx')
  fs.rmSync(stale, { force: true })
  return changes.map(() => warning)
}

const fileMode = 0o644

// The machine's own configuration is part of it: one that was broken by hand would have the reload
// do nothing at all, and nobody would hear of it.
async function test(machine: Machine): Promise<void> {
  // Nginx had refused it when the worker started, or somebody has changed it since.
  if (listDifferingShared(machine).length > 0) await prepareNginx(machine)
  const text = renderCheck(readFile(machine.path(ownFile)))
  await ensureFile(machine.path(checkFile), text, fileMode)
  await machine.run('nginx', ['-t', '-q', '-c', checkFile])
}

// By halves, which finds a bad one among a thousand with twenty tests. Where nginx refuses what is
// live already none of them would pass, and one test tells it of all.
async function apart(machine: Machine, changes: VhostChange[]): Promise<Outcome[]> {
  const refused = changes.length < fewest ? undefined : await refusal(machine)
  const half = changes.length >> 1
  const halves = [changes.slice(0, half), changes.slice(half)]
  const outcomes: Outcome[] = []
  for (const part of refused === undefined ? halves : changes.map(one => [one])) {
    const isRefused = refused !== undefined && !part.every(asksNothing)
    outcomes.push(...(isRefused ? [refused] : await publish(machine, part)))
  }
  return outcomes
}

// So a site that never went live can be taken back while nginx's configuration is broken.
const asksNothing = ({ texts, isShared }: VhostChange) => texts.size === 0 && !isShared

// From so many on it is worth a test to know whether there is anything to look for.
const fewest = 16

const refusal = (machine: Machine): Promise<Error | undefined> =>
  test(machine).then(() => undefined, asError)

function emptyFolder(path: string): void {
  for (const name of fs.readdirSync(path)) removeFile(`${path}/${name}`)
}
