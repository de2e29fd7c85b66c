import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import { agrees, removeFile, syncFolder, writeFiles } from './files.ts'
import type { Outcome } from './group-commit.ts'
import type { Machine } from './machine.ts'
import { checkFile, live, staging } from './nginx-shared.ts'
import * as services from './services.ts'
import { renderActive, renderSuspended } from './vhost.ts'

// One file a website, named by the site's number. A file comes into the live folder only after a
// test of all live files together with it, so nginx starts whenever it is asked to; and a bad one
// fails nobody but its own operation.

/** Texts of files to have and numbers of sites to have no file. */
export type VhostChange = { texts: ReadonlyMap<string, string>; gone: readonly string[] }

/** Has nginx serve the account's sites, or say that they are suspended. */
export async function ensureVhosts(
  machine: Machine,
  { sites, username, uid, wanted }: HostAccount,
): Promise<void> {
  if (sites.length === 0) return
  const render = wanted === 'active' ? renderActive : renderSuspended
  const texts = sites.map(
    ({ id, domain }) => [id, render({ siteId: id, domain, username, uid })] as const,
  )
  await machine.publish({ texts: new Map(texts), gone: [] })
}

/** Has nginx know nothing of the account's sites. */
export async function removeVhosts(machine: Machine, { sites }: HostAccount): Promise<void> {
  if (sites.length === 0) return
  await machine.publish({ texts: new Map(), gone: sites.map(({ id }) => id) })
}

/**
 * Brings changes of several accounts into nginx with one test and one reload. It reloads even
 * when every file agrees: whether one changed is forgotten when a process dies before the reload.
 */
export async function publish(machine: Machine, changes: VhostChange[]): Promise<Outcome[]> {
  const at = (folder: string, id: string) => machine.path(`${folder}/${id}.conf`)
  const isNew = ([id, text]: [string, string]) => !agrees(at(live, id), text, fileMode)
  const fresh = changes.flatMap(({ texts }) => [...texts].filter(isNew))
  const gone = changes.flatMap(change => change.gone)
  try {
    // What a killed worker left there is part of no test.
    emptyFolder(machine.path(staging))
    if (fresh.length > 0) {
      const files = fresh.map(([id, text]) => ({ path: at(staging, id), text, mode: fileMode }))
      await writeFiles(files, machine.isDurable)
      await machine.run('nginx', ['-t', '-q', '-c', checkFile])
    }
  } catch (error) {
    emptyFolder(machine.path(staging))
    // Each for itself, so that the good ones don't wait for the bad one to be mended.
    return changes.length > 1 ? oneByOne(machine, changes) : [asError(error)]
  }
  for (const [id] of fresh) fs.renameSync(at(staging, id), at(live, id))
  for (const id of gone) removeFile(at(live, id))
  if (machine.isDurable && fresh.length + gone.length > 0) await syncFolder(machine.path(live))
  await services.reload(machine, 'nginx')
  return changes.map(() => undefined)
}

const fileMode = 0o644

async function oneByOne(machine: Machine, changes: VhostChange[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const change of changes) outcomes.push(...(await publish(machine, [change])))
  return outcomes
}

function emptyFolder(path: string): void {
  for (const name of fs.readdirSync(path)) removeFile(`${path}/${name}`)
}

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))
