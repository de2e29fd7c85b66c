import { Command, type CommandClass } from 'clipanion'
import type { Kind } from '../../model/grammar/known-words.ts'
import { type Completer, completerOf } from './completers.ts'

export type Suggestion = { word: string; description: string }

/** The commands by their names, each loaded alone. */
export type Catalogue = {
  names: readonly string[]
  load: (name: string) => Promise<CommandClass>
}

/** The sources of completion besides the words. */
export type Sources = Catalogue & {
  /** Lists the names or ids that begin so; what an account has depends on the word before it. */
  list: (kind: Kind, start: string, before: string) => Promise<string[]>
  /** Whether suggestions have descriptions, for which a group's commands are loaded. */
  isDescribed: boolean
  /** Whether options are offered before a dash is typed, where nothing else is. */
  offersOptions: boolean
}

type Option = { names: string[]; arity?: number; description?: string; hidden?: boolean }
type Argument = { name: string; by: Completer }
type Valued = Option & { by: Completer }

const help: Option = { names: ['-h', '--help'], description: 'explain it' }
const version: Option = { names: ['-v', '--version'], description: 'show the version' }

/**
 * Returns what can replace the last word of a command line, or that it is the name of a file.
 *
 * @param words those after `panel`; the last is the one that is typed, which may be empty
 */
export async function complete(
  words: readonly string[],
  sources: Sources,
): Promise<Suggestion[] | 'files'> {
  const [before, start] = [words.slice(0, -1), words.at(-1) ?? '']
  const isKnown = (line: string) => sources.names.some(name => `${name} `.startsWith(`${line} `))
  let depth = 0
  while (depth < before.length && isKnown(before.slice(0, depth + 1).join(' '))) depth += 1
  const path = before.slice(0, depth).join(' ')
  const suggestions = sources.names.includes(path)
    ? await ofCommand(await sources.load(path), before.slice(depth), start, sources)
    : depth === before.length
      ? await ofGroup(path, start, sources)
      : []
  if (suggestions === 'files') return suggestions
  return suggestions.filter(({ word }) => word.startsWith(start))
}

async function ofGroup(path: string, start: string, sources: Sources): Promise<Suggestion[]> {
  if (start.startsWith('-')) return toSuggestions(path === '' ? [help, version] : [help])
  const prefix = path === '' ? '' : `${path} `
  const below = sources.names.filter(name => name.startsWith(`${prefix}${start}`))
  const groups = Map.groupBy(below, name => name.slice(prefix.length).split(' ')[0]!)
  return Promise.all(
    [...groups].map(async ([word, names]) => ({
      word,
      description: sources.isDescribed ? await describe(`${prefix}${word}`, names, sources) : '',
    })),
  )
}

async function describe(name: string, names: string[], { load }: Catalogue): Promise<string> {
  if (names.includes(name)) return (await load(name)).usage?.description?.trim() ?? ''
  return [...new Set(names.map(one => one.slice(name.length + 1).split(' ')[0]))].join(', ')
}

async function ofCommand(
  command: CommandClass,
  before: string[],
  start: string,
  sources: Sources,
): Promise<Suggestion[] | 'files'> {
  const { options, argumentAt } = signatureOf(command)
  let [position, isOptionPossible] = [0, true]
  let valued: Argument | undefined
  for (const word of before) {
    if (valued !== undefined) valued = undefined
    else if (!isOptionPossible || !word.startsWith('-')) position += 1
    else if (word === '--') isOptionPossible = false
    else valued = valueOf(options, word)
  }
  const isOption = isOptionPossible && start.startsWith('-')
  const argument = valued ?? (isOption ? undefined : argumentAt(position))
  const by = argument?.by ?? []
  if (by === 'files') return by
  if (typeof by === 'string') {
    const words = await sources.list(by, start, before.at(-1) ?? '')
    if (words.length > 0) return words.map(word => ({ word, description: '' }))
  } else if (argument !== undefined && by.length > 0) {
    return by.map(word => ({ word, description: argument.name.toLowerCase() }))
  }
  const isOffered = isOption || (isOptionPossible && sources.offersOptions)
  return isOffered && !valued ? toSuggestions([...options, help]) : []
}

const valueOf = (options: readonly Valued[], word: string): Argument | undefined =>
  options
    .filter(({ names, arity = 0 }) => names.includes(word) && arity > 0)
    .map(({ by }) => ({ name: '', by }))[0]

const toSuggestions = (options: readonly Option[]): Suggestion[] =>
  options.map(({ names, description = '' }) => ({ word: names.at(-1)!, description }))

/** The options and arguments of a command, as it defines them to clipanion. */
function signatureOf(command: CommandClass) {
  const options: Valued[] = []
  const some: Argument[] = []
  let rest: Argument | undefined
  const own: Record<string, unknown> = { ...new command() }
  for (const [key, value] of Object.entries(own)) {
    if (!isDefinition(value)) continue
    const by = completerOf(value)
    value.definition(
      {
        addOption: option => options.push({ ...option, by }),
        addPositional: ({ name = key }) => some.push({ name, by }),
        addRest: ({ name = key }) => (rest = { name, by }),
      },
      key,
    )
  }
  return {
    options: options.filter(({ hidden }) => !hidden),
    argumentAt: (position: number) => some[position] ?? rest,
  }
}

type Definition = {
  definition: (
    builder: {
      addOption: (option: Option) => void
      addPositional: (argument: { name?: string }) => void
      addRest: (argument: { name?: string }) => void
    },
    key: string,
  ) => void
}

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && Command.isOption in value
