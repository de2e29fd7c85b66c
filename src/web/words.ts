import { resourceLabels, resourceThemes } from '../model/operations/resource-kinds.ts'
import { toUnicode } from '../model/grammar/search-words.ts'
import { dateFormat, number } from './texts/locale.ts'
import { isKey, t, type PlainKey } from './texts/texts.ts'

// Numbers, sizes, times and states as pages show them.

export { number }

/** "1 website", "3 deliveries"; a plural with another ending has to be given. */
export const count = (value: number, singular: string, many = plural(singular)): string =>
  `${number(value)} ${value === 1 ? singular : many}`

/** Says how many of a list's entries have failed: what a screen reader hears of a live list. */
export const failed = (
  entries: readonly { state: string }[],
  kind: 'jobs' | 'deliveries',
): string =>
  t('words.failedInList', {
    ...{ kind, all: entries.length },
    failed: entries.filter(({ state }) => state === 'failed').length,
  })

const plural = (singular: string): string => `${singular.replace(/([^aeiou])y$/, '$1ie')}s`

/** "2 of 3 websites are secure" */
export const secured = (sites: readonly { ssl: string }[]): string =>
  t('words.securedSites', {
    ...{ all: sites.length, secure: sites.filter(({ ssl }) => ssl === 'issued').length },
  })

/** "3 things need attention" */
export const attention = (concerns: number): string => t('words.attention', { concerns })

const units = ['words.mb', 'words.gb', 'words.tb', 'words.pb'] as const

/** Megabytes in the unit that fits: 812 MB, 1.5 GB. */
export function size(megabytes: number): string {
  let [value, unit] = [megabytes, 0]
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024
  const rounded = value >= 100 ? Math.round(value) : value
  return t(units[unit]!, { value: rounded })
}

/** Returns how much of the disk files take, and how much databases. */
export const parts = (usage: { disk_used_mb: number; database_used_mb: number }): string =>
  t('words.parts', {
    files: size(usage.disk_used_mb - usage.database_used_mb),
    databases: size(usage.database_used_mb),
  })

/** Returns the next round number, of which a half is round too: where an axis ends. */
export function ceiling(value: number, base: number): number {
  let unit = 1
  while (value / unit >= base) unit *= base
  const ten = 10 ** Math.floor(Math.log10(value / unit))
  return [1, 2, 4, 6, 8, 10].find(step => step * ten * unit >= value)! * ten * unit
}

/** 96 ms, 1.2 s, 4 min */
export function duration(ms: number): string {
  if (ms < 1_000) return t('words.milliseconds', { n: Math.round(ms) })
  if (ms < 60_000) return t('words.seconds', { n: ms / 1_000 })
  if (ms < 3_600_000) return t('words.minutes', { n: Math.round(ms / 60_000) })
  return ms < 172_800_000
    ? t('words.hours', { n: Math.round(ms / 3_600_000) })
    : t('words.days', { n: Math.round(ms / 86_400_000) })
}

/** Returns for how long to wait: 40 seconds, 2 minutes */
export const waitTime = (seconds: number): string =>
  seconds > 90
    ? t('words.waitMinutes', { n: Math.ceil(seconds / 60) })
    : t('words.waitSeconds', { n: seconds })

/** Returns how long ago it was, like scripts/panel.js, which updates it. */
export function ago(at: Date, now = new Date()): string {
  const ms = now.getTime() - at.getTime()
  if (Math.abs(ms) < 5_000) return t('words.now')
  return ms > 0 ? t('words.ago', { time: roughly(ms) }) : t('words.in', { time: roughly(-ms) })
}

const roughly = (ms: number): string =>
  ms < 60_000 ? t('words.seconds', { n: Math.round(ms / 1_000) }) : duration(ms)

/** 2026-03-03 09:12:04 UTC */
export const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Returns the beginning of a UUID, which finds it too; other ids are short. */
export const shortId = (id: string): string => (/^[0-9a-f-]{36}$/.test(id) ? id.slice(0, 8) : id)

/** 09:12:04 UTC */
export const clock = (at: Date): string => `${at.toISOString().slice(11, 19)} UTC`

/** 3 March 2026 */
export const day = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' })

const dayOfThisYear = dateFormat({ day: 'numeric', month: 'short' })
const dayOfAnother = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })

/** 3 Mar, and with its year where that is another. */
export const shortDay = (at: Date, now = new Date()): string =>
  at.getUTCFullYear() === now.getUTCFullYear() ? dayOfThisYear(at) : dayOfAnother(at)

/** November */
export const month = dateFormat({ month: 'long' })

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

/** Returns the word for a state; states of a page's own are their own words. */
export const stateLabel = (state: string): string => {
  const known = `states.${state}`
  return isKey(known) ? t(known as PlainKey) : state
}

export const toneOf = (state: string): Tone => tones[state] ?? 'quiet'

const verbs: Record<string, string> = {
  login: 'sign on to',
  set: 'save',
}
/** The phrases for events on pages, where resource kind and verb don't say it well. */
const phrases: Record<string, PlainKey> = {
  'session/open': 'events.signIn',
  'session/open-by-link': 'events.signInWithLink',
  'session/open-as': 'events.signInAsCustomer',
  'session/end': 'events.signOut',
  'session/refuse': 'events.signIn',
  'second-factor/enable': 'events.setUpSecondFactor',
  'second-factor/replace': 'events.replaceApp',
  'second-factor/disable': 'events.switchOffSecondFactor',
  'second-factor/replace-codes': 'events.createRecoveryCodes',
  'settings/demand-second-factor': 'events.requireSecondFactor',
  'settings/support-contact': 'events.changeSupportContact',
  'settings/share-parents': 'events.changeSharedParents',
}

/** Returns a domain as people write it, if it is stored differently. */
export function inUnicode(domain: string): string | undefined {
  const written = toUnicode(domain)
  return written === domain ? undefined : written
}

/** Returns what an operation does, by its name: "site/add" adds a website. */
export function operation(name: string | null): string {
  if (name === null) return t('events.request')
  const phrase = phrases[name]
  if (phrase !== undefined) return t(phrase)
  const label = resourceLabels[name]
  if (label !== undefined) return label
  const [singular = '', verb = ''] = name.split('/')
  if (verb.includes('-')) return capital(verbs[verb] ?? verb.replaceAll('-', ' '))
  return capital(`${verbs[verb] ?? verb} ${singular}`)
}

/** The filters of the history, by the first word of an operation's name. */
const themes: Record<string, PlainKey> = {
  account: 'events.accounts',
  delivery: 'events.deliveries',
  job: 'events.job',
  jobs: 'events.jobs',
  operator: 'events.operators',
  package: 'events.packages',
  reseller: 'events.resellers',
  'second-factor': 'events.secondFactor',
  server: 'events.server',
  session: 'events.sessions',
  settings: 'events.settings',
  token: 'events.tokens',
  webhook: 'events.webhooks',
}

/** Returns a part of the history, or one kind of line in it. */
export function theme(action: string): string {
  if (action.includes('/')) return operation(action)
  const name = themes[action]
  return name === undefined ? (resourceThemes[action] ?? capital(action)) : t(name)
}

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
  if (agent === null || agent === '') return t('words.unknownBrowser')
  const [, name = '', version = ''] =
    /(Edg|OPR|Firefox)[A-Za-z]*\/([0-9]+)/.exec(agent) ??
    /(Chrome)\/([0-9]+)/.exec(agent) ??
    /Version\/([0-9]+).*(Safari)/.exec(agent)?.toSpliced(1, 2, 'Safari', '') ??
    []
  const [, system = ''] = /(Android|iPhone|iPad|Windows|Mac OS X|CrOS|Linux)/.exec(agent) ?? []
  if (name === '') return agent.slice(0, 60)
  const known: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  const program = `${known[name] ?? name}${version === '' ? '' : ` ${version}`}`
  return system === ''
    ? program
    : t('words.browserOn', { program, system: known[system] ?? system })
}
