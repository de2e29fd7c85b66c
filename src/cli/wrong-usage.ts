import type { Definition } from 'clipanion'
import { closestMatch } from 'leven'
import { named, type PanelCli, wholeUsage } from './panel-cli.ts'

// Explains a command line that was not understood.

/**
 * @param reason clipanion's
 * @param first how the group was called, where that is not its name: `accounts` for `account`
 */
export function explain(
  cli: PanelCli,
  words: readonly string[],
  reason: string,
  first = words[0],
): string {
  const all = cli.definitions()
  const line = `panel ${words.join(' ')} `
  const command = all.find(({ path }) => line.startsWith(`${path} `))
  if (command !== undefined) return whyRefused(command, words, reason)
  const typed = words.filter(word => !word.startsWith('-'))
  const groupOf = (length: number): string => `${typed.slice(0, length).join(' ')} `
  const isNoGroup = (_word: string, at: number): boolean =>
    all.every(({ path }) => !path.startsWith(`panel ${groupOf(at + 1)}`))
  const end = typed.findIndex(isNoGroup)
  const depth = end < 0 ? typed.length : end
  const name = typed.slice(0, Math.max(2, depth + 1)).join(' ')
  // In a group the next word decides: `token rm` is not `token ls`.
  const tolerated = depth === 0 ? Math.ceil(name.length / 3) : (typed[depth] ?? '').length - 2
  const near = nearest(name, all, Math.max(1, tolerated))
  const hint = near === undefined ? '' : `; is it \`panel ${near}\`?`
  const none = `There is no command ${name}${hint}`
  const list = depth === 0 ? '`panel --help` lists all commands.\n' : cli.overview(groupOf(depth))
  const isMissing = depth === typed.length
  const isOther = isMissing && depth === 1 && first !== words[0]
  const other = `There is no command ${first}; is it \`panel ${typed[0]}\`?`
  return `panel: ${isOther ? other : isMissing ? 'A command is missing' : none}\n${list}`
}

/** Returns the command most similar to the typed one; `doctor` alone is `ctl doctor`. */
function nearest(
  typed: string,
  all: readonly Definition[],
  maxDistance: number,
): string | undefined {
  const paths = all.map(({ path }) => path.replace('panel ', ''))
  const last = Map.groupBy(paths, path => path.split(' ').at(-1) ?? '')
  const alone = [...last].flatMap(([word, own]) => (own.length === 1 ? word : []))
  const found = closestMatch(typed, [...paths, ...alone], { maxDistance })
  return found === undefined ? undefined : (last.get(found)?.[0] ?? found)
}

function whyRefused(command: Definition, words: readonly string[], reason: string): string {
  const { path } = command
  const why = whyWrong(command, words, reason)
  const usage = wholeUsage(command, 'Usage: '.length)
  return `panel: ${path.replace('panel ', '')} ${why}\nUsage: ${usage}\n\
\`${path} --help\` explains it in full.\n`
}

function whyWrong(
  { usage, options }: Definition,
  words: readonly string[],
  reason: string,
): string {
  const [, unknown] = /^Unsupported option name \("(.*)"\)/.exec(reason) ?? []
  if (unknown !== undefined) {
    const names = options.flatMap(({ definition }) => namesOf(definition))
    const near = closestMatch(unknown, names, { maxDistance: 3 })
    return `has no option ${unknown}${near === undefined ? '' : `; is it ${near}?`}`
  }
  const [, empty] = /^Not enough arguments to option (.*)\.$/.exec(reason) ?? []
  if (empty !== undefined) return `needs a value for ${empty}`
  const isTyped = (name: string) => words.some(word => word === name || word.startsWith(`${name}=`))
  const missing = options.filter(one => one.required && !namesOf(one.definition).some(isTyped))
  const isShort = reason.startsWith('Not enough positional')
  const lacking = [
    ...(isShort ? [...usage.matchAll(/<([^>]+)>/g)].map(([, name = '']) => name) : []),
    ...missing.map(({ definition }) => named(definition)),
  ]
  return lacking.length === 0 ? `was not understood: ${reason}` : `needs ${and.format(lacking)}`
}

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' })

const namesOf = (definition: string): string[] => (definition.split(' ')[0] ?? '').split(',')
