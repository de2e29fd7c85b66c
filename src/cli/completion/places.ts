import type { Definition } from 'clipanion'
import { eventName } from '../../model/events.ts'
import { AccountFilter } from '../../model/account-search.ts'
import { DeliveryFilter } from '../../model/delivery-records.ts'
import { tasks, withoutWork } from '../../model/job-tasks.ts'
import { kinds, states } from '../../model/jobs.ts'
import type { Kind } from '../../model/known-words.ts'
import { NewOwner } from '../../model/owners.ts'

// What can come next at each place of a command line, from the commands' own definitions.

export const shells = ['bash', 'zsh', 'fish'] as const

/** A command or a group of them: its words after `panel`, each after a blank (` token create`). */
export type Place = {
  path: string
  /** What can follow, by position: a group's commands, or the arguments of a command. */
  next: Argument[]
  options: CommandOption[]
}

export type Argument = {
  /** The commands, or possible values. */
  words: Suggestion[]
  /** The names or ids that it can be. */
  live: Kind | undefined
  /** Whether it is the name of a file. */
  isFile: boolean
}

export type Suggestion = { word: string; description: string }

export type CommandOption = {
  names: string[]
  description: string
  /** Null for a flag; empty where the value can be anything. */
  values: readonly string[] | null
  /** The names or ids that its value can be. */
  live: Kind | undefined
  /** Whether its value is the name of a file. */
  isFile: boolean
}

// The arguments and options with a fixed set of values; those of one command stand below its path.
const known: Record<string, readonly string[]> = {
  SHELL: shells,
  EVENT: eventName.options,
  TASK: tasks,
  '--task': [...tasks, ...withoutWork],
  '--event': eventName.options,
  '--kind': kinds,
  '--role': NewOwner.shape.role.options,
  '--state': states,
  '--rights': ['all', 'read', 'none'],
  ' account ls --state': AccountFilter.shape.state.unwrap().options,
  ' webhook deliveries --state': DeliveryFilter.shape.state.unwrap().options,
}

// Those whose values the database knows.
const live: Record<string, Kind> = {
  USERNAME: 'accounts',
  '--account': 'accounts',
  '--package': 'packages',
  '--owner': 'owners',
  USER: 'owners',
  '--after': 'jobs',
  ...{ ' jobs show ID': 'jobs', ' jobs retry ID': 'jobs', ' jobs cancel ID': 'jobs' },
  ...{ ' reseller set NAME': 'resellers', ' reseller show NAME': 'resellers' },
  ...{ ' reseller suspend NAME': 'resellers', ' reseller unsuspend NAME': 'resellers' },
  PACKAGE: 'packages',
  ' site rm DOMAIN': 'sites',
  ' shared-parent rm DOMAIN': 'shared-parents',
  DATABASE: 'databases',
  ...{ ' database password USER': 'database-users', ' database user USER': 'database-users' },
  ...{ ' package set NAME': 'packages', ' package rm NAME': 'packages' },
  ' package show NAME': 'packages',
  ' token revoke ID': 'tokens',
  ...{ ' webhook set ID': 'webhooks', ' webhook test ID': 'webhooks' },
  ...{ ' webhook secret ID': 'webhooks', ' webhook rm ID': 'webhooks' },
  ...{ ' webhook deliveries ID': 'webhooks', ' webhook redeliver ID': 'deliveries' },
}
const files = ['FILE', '--output']

const flag = (names: string[], description: string): CommandOption => ({
  names,
  description,
  values: null,
  live: undefined,
  isFile: false,
})
const help = flag(['-h', '--help'], 'explain it')
const version = flag(['-v', '--version'], 'show the version')

/** `panel` itself, the groups and the commands. */
export function placesOf(definitions: Definition[]): Place[] {
  const groups = new Set(definitions.flatMap(({ path }) => groupsOf(path)))
  return [...[...groups].map(path => toGroup(path, definitions)), ...definitions.map(toCommand)]
}

/** The paths of all groups and commands. */
export const pathsOf = (places: Place[]): string[] =>
  places.map(({ path }) => path).filter(path => path !== '')

function groupsOf(path: string): string[] {
  const words = path.split(' ').slice(0, -1)
  return words.map((_word, at) => words.slice(0, at + 1).join(' '))
}

function toCommand({ path: whole, usage, options }: Definition): Place {
  const path = whole.replace(/^panel/, '')
  const names = [...usage.matchAll(/[<[]([A-Z]+)[>\]]/g)].map(([, name = '']) => name)
  const all = usage.endsWith('...') ? [...names, 'USERNAME'] : names
  return {
    path,
    next: all.map(name => toArgument(path, name)),
    options: [...options.map(option => toOption(path, option)), help],
  }
}

const toArgument = (path: string, name: string): Argument => ({
  words: (known[name] ?? []).map(word => ({ word, description: name.toLowerCase() })),
  live: live[`${path} ${name}`] ?? live[name],
  isFile: files.includes(name),
})

function toOption(
  path: string,
  { definition, description = '' }: Definition['options'][number],
): CommandOption {
  const [said = '', value] = definition.split(' ')
  const names = said.split(',')
  return {
    names,
    description: description.trim(),
    values:
      value === undefined
        ? null
        : names.flatMap(name => known[`${path} ${name}`] ?? known[name] ?? []),
    live: names.map(name => live[name]).find(kind => kind !== undefined),
    isFile: names.some(name => files.includes(name)),
  }
}

function toGroup(path: string, definitions: Definition[]): Place {
  const words = wordsAfter(path, definitions).map(word => {
    const own = definitions.find(one => one.path === `${path} ${word}`)
    const below = wordsAfter(`${path} ${word}`, definitions).join(', ')
    return { word, description: own?.description?.trim() ?? below }
  })
  const options = path === 'panel' ? [help, version] : [help]
  const next = [{ words, live: undefined, isFile: false }]
  return { path: path.replace(/^panel/, ''), next, options }
}

function wordsAfter(path: string, definitions: Definition[]): string[] {
  const below = definitions.filter(one => one.path.startsWith(`${path} `))
  return [...new Set(below.map(one => one.path.slice(path.length + 1).split(' ')[0]!))]
}
