import { type Served, servedOf } from '../../host/accounts/served.ts'
import { secrets, sources } from '../../host/web/never-served.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import { inWords, listUnapplied } from '../../model/sites/site-rules.ts'
import {
  type Checks,
  type DoctorContext,
  count,
  duration,
  fixedBy,
  list,
  rebuilds,
  requireKernel,
  requireRoot,
  warning,
  well,
} from './check.ts'

// Far below what a check may take; of websites with more than a million files it is a part.
const timeoutMs = 3_000
// Paths per program: they are as long as names of websites.
const atOnce = 2_000

/** Checks for files that visitors cannot get and for unsupported .htaccess rules. */
export const websiteChecks: Checks = {
  async htaccess({ db }) {
    const found = await listUnapplied(await db())
    const [first] = found
    if (first === undefined) return well('No .htaccess file with unsupported rules was found')
    const words = found.map(
      ({ domain, rules, seconds }) => `${domain}: ${inWords(rules)}, read ${duration(seconds)} ago`,
    )
    const more = first.total - found.length
    const sentence = `${words.join('. ')}${more > 0 ? `. And ${count(more, 'more website')}` : ''}`
    const advice =
      'Notify their owners: nginx ignores .htaccess, so files that they deny are served. ' +
      'Run panel site recheck ACCOUNT DOMAIN to read it again'
    const sites = found.map(({ username, domain }) => ({ username, domain }))
    return fixedBy(
      warning(sentence, advice),
      ...sites.map(site => ({ do: 'view-site', ...site }) as const),
    )
  },
  async readable(panel) {
    requireKernel(panel)
    requireRoot(panel)
    const sites = (await panel.accounts()).flatMap(account => sitesOf(panel, account))
    const found = new Map<string, string>()
    let isWhole = true
    for (let start = 0; start < sites.length; start += atOnce) {
      const some = sites.slice(start, start + atOnce)
      const part = await listUnreadable(panel, some)
      for (const { domain, path } of part.unreadable) found.set(path, domain)
      isWhole &&= part.isWhole
    }
    const far = isWhole ? '' : `, as far as checked in ${timeoutMs / 1_000} s`
    if (found.size === 0) return well(`The web server can read the files of websites${far}`)
    const words = [...found].map(([path, domain]) => `${path} (${domain})`)
    const sentence = `The web server cannot read ${list(words)}${far}`
    const [first = ''] = found.keys()
    const advice =
      `panel ctl rebuild ${first.split('/')[2]} gives it access; files closed to the group ` +
      'stay unreadable until the account runs chmod g+rX'
    const usernames = [...found.keys()].flatMap(path => path.split('/')[2] ?? [])
    return fixedBy(warning(sentence, advice), ...rebuilds([...new Set(usernames)]))
  },
}

type Website = Served & { domain: string }

const sitesOf = ({ machine }: DoctorContext, { username, sites }: HostAccount): Website[] =>
  sites.map(site => ({ domain: site.domain, ...servedOf(machine, username, site) }))

async function listUnreadable({ machine }: DoctorContext, sites: readonly Website[]) {
  const listOf = (paths: string[], isFlat: boolean) =>
    machine.files.listUnreadable(paths, { withClosed: true, timeoutMs, isFlat })
  const above = await listOf([...new Set(sites.flatMap(({ above }) => above))], true)
  const closed = new Set(above.paths)
  const targets = await listOf([...new Set(sites.flatMap(({ resolved }) => resolved ?? []))], false)
  const below = targets.paths.filter(path => !isHidden(path))
  const unreadable = sites.flatMap(({ domain, path, resolved, above }) => {
    if (resolved === undefined) return [{ domain, path }]
    const found = below.filter(one => one === resolved || one.startsWith(`${resolved}/`))
    return [...above.filter(one => closed.has(one)), ...found].map(one => ({ domain, path: one }))
  })
  return { unreadable, isWhole: above.isWhole && targets.isWhole }
}

// PHP is run by its account, and visitors may not see the rest.
const hidden = new RegExp(`\\.php$|/\\.(?!well-known(?:/|$))|${sources}|${secrets}`, 'i')
const isHidden = (path: string): boolean => hidden.test(path)
