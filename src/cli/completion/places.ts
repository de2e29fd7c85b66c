import type { Definition } from 'clipanion'
import { eventName } from '../../model/events.ts'
import { tasks } from '../../model/job-tasks.ts'
import { NewOwner } from '../../model/owners.ts'

// What can come next at each place of a command line, from the commands' own definitions.

export const shells = ['bash', 'zsh', 'fish'] as const

/** A command or a group of them: its words after `panel`, each after a blank (` token create`). */
export type Place = {
  path: string
  /** What it does. */
  description: string
  /** Its commands, or the possible values of its first argument. */
  next: Suggestion[]
  /** Whether its first argument is the name of a file. */
  isFile: boolean
  options: CommandOption[]
}

export type Suggestion = { word: string; description: string }

export type CommandOption = {
  names: string[]
  description: string
  /** Null for a flag; empty where the value can be anything. */
  values: readonly string[] | null
  /** Whether its value is the name of a file. */
  isFile: boolean
}

// The arguments and options with a fixed set of values, or with a file's name.
const known: Record<string, readonly string[]> = {
  SHELL: shells,
  EVENT: eventName.options,
  TASK: tasks,
  '--task': tasks,
  '--event': eventName.options,
  '--role': NewOwner.shape.role.options,
}
const files = ['FILE', '--output']

const flag = (names: string[], description: string): CommandOption => ({
  names,
  description,
  values: null,
  isFile: false,
})
const help = flag(['-h', '--help'], 'explain it')

/** `panel` itself, the groups and the commands. */
export function placesOf(definitions: Definition[]): Place[] {
  const commands = definitions.map(toCommand)
  const groups = new Set(commands.map(({ path }) => groupOf(path)).filter(path => path !== ''))
  const below = [...[...groups].map(path => toGroup(path, commands)), ...commands]
  const root = toGroup('', below)
  root.options.push(flag(['-v', '--version'], 'show the version'))
  return [root, ...below]
}

/** The paths of all groups and commands. */
export const pathsOf = (places: Place[]): string[] =>
  places.map(({ path }) => path).filter(path => path !== '')

const groupOf = (path: string): string => path.replace(/ [^ ]+$/, '')
const lastWord = (path: string): string => path.slice(path.lastIndexOf(' ') + 1)

function toCommand({ path, usage, description = '', options }: Definition): Place {
  const [, first = ''] = /[<[]([A-Z]+)[>\]]/.exec(usage) ?? []
  return {
    path: path.replace(/^panel/, ''),
    description: description.trim(),
    next: (known[first] ?? []).map(word => ({ word, description: first.toLowerCase() })),
    isFile: files.includes(first),
    options: [...options.map(toOption), help],
  }
}

function toOption({ definition, description = '' }: Definition['options'][number]): CommandOption {
  const [said = '', value] = definition.split(' ')
  const names = said.split(',')
  return {
    names,
    description: description.trim(),
    values: value === undefined ? null : names.flatMap(name => known[name] ?? []),
    isFile: names.some(name => files.includes(name)),
  }
}

function toGroup(path: string, places: Place[]): Place {
  const own = places.filter(place => groupOf(place.path) === path && place.path !== path)
  return {
    path,
    description: own.map(place => lastWord(place.path)).join(', '),
    next: own.map(place => ({ word: lastWord(place.path), description: place.description })),
    isFile: false,
    options: [help],
  }
}
