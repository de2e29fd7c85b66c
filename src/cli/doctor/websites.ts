import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publicFolderOf } from '../../host/accounts/home.ts'
import { homeOf } from '../../host/accounts/users.ts'
import { neverServed } from '../../host/web/never-served.ts'
import type { HostAccount } from '../../model/host-account.ts'
import {
  type Checks,
  type DoctorContext,
  list,
  requireKernel,
  requireRoot,
  warning,
  well,
} from './check.ts'

// Far below what a check may take; of websites with more than a million files it is a part.
const timeoutMs = 3_000
// What one program is given: paths are as long as names of websites.
const atOnce = 2_000

/** What visitors do not get. */
export const websiteChecks: Checks = {
  async readable(panel) {
    requireKernel(panel)
    requireRoot(panel)
    const sites = (await panel.accounts()).flatMap(account => sitesOf(panel, account))
    const found = new Map<string, string>()
    for (let start = 0; start < sites.length; start += atOnce) {
      const some = sites.slice(start, start + atOnce)
      for (const { domain, path } of await listUnreadable(panel, some)) found.set(path, domain)
    }
    if (found.size === 0) return well('The web server can read what websites consist of')
    const words = [...found].map(([path, domain]) => `${path} (${domain})`)
    const sentence = `The web server cannot read ${list(words)}`
    const [first = ''] = found.keys()
    const advice =
      `panel ctl rebuild ${first.split('/')[2]} lets it in; what a mode closes to the group ` +
      'stays closed until its account says chmod g+rX'
    return warning(sentence, advice)
  },
}

type Website = {
  domain: string
  /** Where its public folder is, links followed; undefined where it is nowhere in the home. */
  place: string | undefined
  /** The folders that lead there. */
  above: string[]
  path: string
}

function sitesOf({ machine }: DoctorContext, { username, sites }: HostAccount): Website[] {
  const home = machine.path(homeOf(username))
  return sites.map(({ domain }) => {
    const path = machine.path(publicFolderOf(username, domain))
    const place = placeOf(home, path)
    const above = [...foldersTo(home, dirname(path)), ...foldersTo(home, place ?? home)]
    return { domain, path, place, above: [...new Set(above)] }
  })
}

// It is its account's own link that may be followed, and only within the home.
function placeOf(home: string, path: string): string | undefined {
  try {
    const place = realpathSync(path)
    return place.startsWith(`${home}/`) ? place : undefined
  } catch {
    return undefined // There is nothing, or it goes this moment.
  }
}

/** The folders on the way from a home to a folder below it, and that itself. */
function foldersTo(home: string, folder: string): string[] {
  const names = folder
    .slice(home.length + 1)
    .split('/')
    .filter(Boolean)
  return names.map((_, index) => join(home, ...names.slice(0, index + 1)))
}

async function listUnreadable({ machine }: DoctorContext, sites: readonly Website[]) {
  const look = (paths: string[], isFlat: boolean) =>
    machine.files.listUnreadable(paths, { withClosed: true, timeoutMs, isFlat })
  const closed = new Set(await look([...new Set(sites.flatMap(({ above }) => above))], true))
  const places = sites.flatMap(({ place }) => place ?? [])
  const below = (await look(places, false)).filter(path => !isHidden(path))
  return sites.flatMap(({ domain, path, place, above }) => {
    if (place === undefined) return [{ domain, path }]
    const found = below.filter(one => one === place || one.startsWith(`${place}/`))
    return [...above.filter(one => closed.has(one)), ...found].map(one => ({ domain, path: one }))
  })
}

// PHP is run by its account, and the rest is nobody's to see.
const hidden = new RegExp(`\\.php$|/\\.(?!well-known(?:/|$))|${neverServed}`, 'i')
const isHidden = (path: string): boolean => hidden.test(path)
