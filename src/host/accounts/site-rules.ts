import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { log } from '../../log.ts'
import type { Host } from '../../model/server/host.ts'
import { listable } from '../../model/sites/closed-folders.ts'
import type { FoundRules, RulesAccount, SiteRules } from '../../model/sites/site-rules.ts'
import { closedFolders, isIn } from '../web/htaccess/closed.ts'
import type { Around } from '../web/htaccess/directives.ts'
import { engineIn, unappliedIn } from '../web/htaccess/unapplied.ts'
import type { Htaccess, Machine } from '../contract.ts'
import { servedOf } from './served.ts'
import { servedPaths } from './served-paths.ts'
import { homeOf, isUnmanaged } from './users.ts'

// Rules in websites' .htaccess files: nginx applies those that close a folder as a whole
// (site-settings.ts), and nothing applies the others. The files are read as their
// account, which may have put anything in their place.

// Only some of several million files are seen.
const limits = { timeoutMs: 10_000, files: 500, links: 100, bytes: 65_536 }
const maxWebsites = 200
const filesKept = 20
const pathLength = 200

/** The operations that the worker calls for them. */
export const siteRulesOf = (machine: Machine) =>
  ({
    async *readRules(accounts, signal) {
      for (const account of accounts) {
        if (signal.aborted) return
        const found = await read(machine, account)
        if (found !== undefined) yield found
      }
    },
  }) satisfies Partial<Host>

// A failure caused by one account's home does not stop the others.
async function read(machine: Machine, account: RulesAccount): Promise<FoundRules | undefined> {
  try {
    if (isUnmanaged(machine.users, account)) return undefined
    const { id, uid, username } = account
    const sites = account.sites.slice(0, maxWebsites).map(site => ({
      ...site,
      resolved: servedOf(machine, username, site).resolved,
    }))
    const resolveds = [...new Set(sites.flatMap(({ resolved }) => resolved ?? []))]
    const among = { home: machine.path(homeOf(username)), folders: resolveds }
    const { files, links, isWhole } = await machine.files.readHtaccess(uid, among, limits)
    const found: FoundRules = { accountId: id, sites: [] }
    for (const { id: siteId, resolved, settings } of sites) {
      // A website whose public folder cannot be resolved has no rules.
      const pathOf = resolved === undefined ? () => undefined : servedPaths(resolved, links)
      const served = files.flatMap(({ path: file, text }) => {
        const path = pathOf(file)
        return path === undefined ? [] : { path, text }
      })
      const rules = await sum(served, {
        servesSources: settings?.serves_sources ?? false,
        fallback: settings?.fallback ?? 'index.php',
      })
      found.sites.push({ siteId, rules: { ...rules, isWhole } })
    }
    return found
  } catch (error) {
    log.info('the .htaccess files of an account could not be read', { account: account.id, error })
    return undefined
  }
}

async function sum(
  texts: Htaccess[],
  set: Pick<Around, 'servesSources' | 'fallback'>,
): Promise<Omit<SiteRules, 'isWhole'>> {
  // Files higher up come first: their settings for rewriting are inherited.
  texts.sort((one, other) => depthOf(one.path) - depthOf(other.path))
  const closed = listable(closedFolders(texts))
  const engines = new Map<string, boolean>()
  const found: SiteRules['files'] = []
  for (const { path, text } of texts) {
    const folder = path.replace(/\/\.htaccess$/, '')
    const isRewriting = engineIn(text) ?? engineAbove(engines, folder)
    engines.set(folder, isRewriting)
    // Its other rules affect no visitor.
    if (closed.some(above => isIn(folder, above))) continue
    const counts = unappliedIn(text, { ...set, folder, isRewriting })
    if (Object.keys(counts).length > 0) found.push({ path, counts })
    // Let other work of this process run.
    await setImmediate()
  }
  const count = found
    .flatMap(({ counts }) => Object.values(counts))
    .reduce((sum, more) => sum + more, 0)
  const shown = found
    .slice(0, filesKept)
    .map(({ path, counts }) => ({ path: toShown(path), counts }))
  return { count, fileCount: found.length, files: shown, closed }
}

// Apache's default is that nothing is rewritten.
function engineAbove(engines: ReadonlyMap<string, boolean>, folder: string): boolean {
  for (let above = folder; above.length > 1;) {
    above = dirname(above)
    const setting = engines.get(above === '/' ? '' : above)
    if (setting !== undefined) return setting
  }
  return false
}

const depthOf = (path: string): number => path.split('/').length

// A name can contain anything, and is shown to people.
const toShown = (path: string): string => {
  const text = path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
  return (text.length > pathLength ? `…${text.slice(-pathLength)}` : text).toWellFormed()
}
