import { resourceLabels, resourceThemes } from '../model/operations/resource-kinds.ts'
import { toUnicode } from '../model/grammar/search-words.ts'

// Numbers, sizes, times and states as pages show them.

const group = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** 1,284 */
export const number = (value: number): string =>
  // Most are small and whole, which looks the same and costs a hundredth.
  Number.isInteger(value) && value >= 0 && value < 1_000 ? `${value}` : group.format(value)

/** "1 website", "3 deliveries"; a plural with another ending has to be given. */
export const count = (value: number, singular: string, many = plural(singular)): string =>
  `${number(value)} ${value === 1 ? singular : many}`

/** Says how many of a list's entries have failed: what a screen reader hears of a live list. */
export const failed = (entries: readonly { state: string }[], singular: string): string =>
  `${number(entries.filter(({ state }) => state === 'failed').length)} of the ` +
  `${number(entries.length)} ${plural(singular)} in this list failed`

const plural = (singular: string): string => `${singular.replace(/([^aeiou])y$/, '$1ie')}s`

/** "2 of 3 websites are secure" */
export const secured = (sites: readonly { ssl: string }[]): string =>
  `${number(sites.filter(({ ssl }) => ssl === 'issued').length)} of ` +
  `${count(sites.length, 'website')} ${sites.length === 1 ? 'is' : 'are'} secure`

/** "3 things need attention" */
export const attention = (concerns: number): string =>
  concerns === 0
    ? 'Nothing needs attention'
    : `${count(concerns, 'thing')} ${concerns === 1 ? 'needs' : 'need'} attention`

/** Megabytes in the unit that fits: 812 MB, 1.5 GB. */
export function size(megabytes: number): string {
  const units = ['MB', 'GB', 'TB', 'PB']
  let [value, unit] = [megabytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  return `${value >= 100 ? number(Math.round(value)) : number(value)} ${units[unit]}`
}

/** Returns how much of the disk files take, and how much databases. */
export const parts = (usage: { disk_used_mb: number; database_used_mb: number }): string =>
  `${size(usage.disk_used_mb - usage.database_used_mb)} by files and ` +
  `${size(usage.database_used_mb)} by databases`

/** Returns the next round number, of which a half is round too: where an axis ends. */
export function ceiling(value: number, base: number): number {
  let unit = 1
  while (value / unit >= base) unit *= base
  const ten = 10 ** Math.floor(Math.log10(value / unit))
  return [1, 2, 4, 6, 8, 10].find(step => step * ten * unit >= value)! * ten * unit
}

/** 96 ms, 1.2 s, 4 min */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${number(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000
    ? `${Math.round(ms / 3_600_000)} h`
    : `${Math.round(ms / 86_400_000)} days`
}

/** Returns how long ago it was, like scripts/panel.js, which updates it. */
export function ago(at: Date, now = new Date()): string {
  const ms = now.getTime() - at.getTime()
  if (Math.abs(ms) < 5_000) return 'now'
  return ms > 0 ? `${roughly(ms)} ago` : `in ${roughly(-ms)}`
}

const roughly = (ms: number): string => (ms < 60_000 ? `${Math.round(ms / 1_000)} s` : duration(ms))

/** 2026-03-03 09:12:04 UTC */
export const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Returns the beginning of a UUID, which finds it too; other ids are short. */
export const shortId = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id)

/** 09:12:04 UTC */
export const clock = (at: Date): string => `${at.toISOString().slice(11, 19)} UTC`

// Made once: with a new one each time a page would spend most of its own time on its dates.
const format = (parts: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' })
  return (at: Date): string => made.format(at)
}

/** 3 March 2026 */
export const day = format({ day: 'numeric', month: 'long', year: 'numeric' })

const dayOfThisYear = format({ day: 'numeric', month: 'short' })
const dayOfAnother = format({ day: 'numeric', month: 'short', year: 'numeric' })

/** 3 Mar, and with its year where that is another. */
export const shortDay = (at: Date, now = new Date()): string =>
  at.getUTCFullYear() === now.getUTCFullYear() ? dayOfThisYear(at) : dayOfAnother(at)

/** November */
export const month = format({ month: 'long' })

/** Times come as texts from answers of the API, and as dates from rows. */
export const date = (at: Date | string): Date => (typeof at === 'string' ? new Date(at) : at)

/** The shape and the colour of a state, in addition to its word. */
export type Tone = 'good' | 'bad' | 'warn' | 'quiet' | 'busy'

const tones: Record<string, Tone> = {
  ...of('good', 'active done delivered issued succeeded valid'),
  ...of('bad', 'failed refused failing'),
  ...of('warn', 'suspended pending undoing cancelled paused terminating'),
  ...of('busy', 'provisioning queued blocked running due waiting'),
}

function of(tone: Tone, states: string): Record<string, Tone> {
  return Object.fromEntries(states.split(' ').map(state => [state, tone]))
}

export const toneOf = (state: string): Tone => tones[state] ?? 'quiet'

const verbs: Record<string, string> = {
  login: 'sign on to',
  set: 'save',
}
/** The phrases for events on pages, where resource kind and verb don't say it well. */
const phrases: Record<string, string> = {
  'session/open': 'Sign in',
  'session/open-by-link': 'Sign in with a link',
  'session/open-as': 'Sign in as the customer',
  'session/end': 'Sign out',
  'session/refuse': 'Sign in',
  'second-factor/enable': 'Set up two-factor authentication',
  'second-factor/replace': 'Replace the authenticator app',
  'second-factor/disable': 'Switch off two-factor authentication',
  'second-factor/replace-codes': 'Create new recovery codes',
  'settings/demand-second-factor': 'Require two-factor authentication',
  'settings/support-contact': 'Change the support contact',
  'settings/share-parents': 'Change the shared parents',
  ...resourceLabels,
}

/** Returns a domain as people write it, if it is stored differently. */
export function inUnicode(domain: string): string | undefined {
  const written = toUnicode(domain)
  return written === domain ? undefined : written
}

/** Returns what an operation does, by its name: "site/add" adds a website. */
export function operation(name: string | null): string {
  if (name === null) return 'A request'
  const phrase = phrases[name]
  if (phrase !== undefined) return phrase
  const [singular = '', verb = ''] = name.split('/')
  if (verb.includes('-')) return capital(verbs[verb] ?? verb.replaceAll('-', ' '))
  return capital(`${verbs[verb] ?? verb} ${singular}`)
}

/** The filters of the history, by the first word of an operation's name. */
const themes: Record<string, string> = {
  account: 'Accounts',
  delivery: 'Webhook deliveries',
  job: 'Single jobs',
  jobs: 'Kinds of jobs',
  operator: 'Administrators and resellers',
  package: 'Packages',
  reseller: 'Reseller plans',
  'second-factor': 'Two-factor authentication',
  server: 'Server',
  session: 'Sign-ins',
  settings: 'Settings',
  token: 'API tokens',
  webhook: 'Webhooks',
  ...resourceThemes,
}

/** Returns a part of the history, or one kind of line in it. */
export const theme = (action: string): string =>
  action.includes('/') ? operation(action) : (themes[action] ?? capital(action))

/**
 * Marks a cell of a table that may be broken within a word, for a name or address that is longer
 * than any word of ours.
 */
export const breakable = (...texts: (string | null | undefined)[]): string =>
  texts.some(text => /\S{21}/.test(text ?? '')) ? ' data-breakable' : ''

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns a sentence with a full stop, as it may have none of its own. */
export const closed = (sentence: string): string =>
  /[.?!]$/.test(sentence) ? sentence : `${sentence}.`

/** "Firefox 144 on Linux", as far as a user agent says so. */
export function browser(agent: string | null): string {
  if (agent === null || agent === '') return 'Unknown browser'
  const [, name = '', version = ''] =
    /(Edg|OPR|Firefox)[A-Za-z]*\/([0-9]+)/.exec(agent) ??
    /(Chrome)\/([0-9]+)/.exec(agent) ??
    /Version\/([0-9]+).*(Safari)/.exec(agent)?.toSpliced(1, 2, 'Safari', '') ??
    []
  const [, system = ''] = /(Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux)/.exec(agent) ?? []
  if (name === '') return agent.slice(0, 60)
  const known: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  const on = system === '' ? '' : ` on ${known[system] ?? system}`
  return `${known[name] ?? name}${version === '' ? '' : ` ${version}`}${on}`
}
