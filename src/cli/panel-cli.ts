import { stripVTControlCharacters } from 'node:util'
import { Cli, type CommandClass, type Definition } from 'clipanion'
import { type Limit, limits } from '../model/sellers/package-limits.ts'
import { wrap } from './text-width.ts'
import { optionOf } from './words.ts'

// The columns that help is written for.
const columns = 80

/** Clipanion's parser, with help that fits a terminal and names what is required. */
export class PanelCli extends Cli {
  override usage(
    command?: Parameters<Cli['usage']>[0],
    given: Parameters<Cli['usage']>[1] = {},
  ): string {
    if (!command) return this.overview()
    const text = named(super.usage(command, given)).replaceAll(/ +$/gm, '')
    const { paths = [] } = (
      typeof command === 'function' ? command : command.constructor
    ) as CommandClass
    const own = this.definitions().find(({ path }) => path === `panel ${paths[0]?.join(' ')}`)
    if (own === undefined) return text
    const whole = this.#withOptions(text, own)
    const usage = `${wholeUsage(own, '$ '.length)}\n`
    return withExamples(whole.replace(`${named(own.usage)}\n`, usage), own)
  }

  // Clipanion's own headers are wider than a terminal of 80 columns.
  override format(colored?: boolean): ReturnType<Cli['format']> {
    const format = super.format(colored)
    return { ...format, header: format.bold }
  }

  /** The usage of all commands, or of those of a group; empty if there is none. */
  overview(group = ''): string {
    const own = this.definitions().filter(({ path }) => path.startsWith(`panel ${group}`))
    if (own.length === 0) return ''
    const width = Math.max(...own.map(({ path }) => path.length))
    const toLines = ({ path, description = '' }: Definition) => entry(path, width, description)
    const categories = Map.groupBy(own, ({ category = 'General' }) => category.trim())
    const usage = `Usage: panel ${group}COMMAND [ARGUMENT]... [OPTION]...
       panel ${group}COMMAND --help explains one\n`
    const lists = [...categories].map(
      ([name, some]) => `${name}\n${some.map(toLines).join('\n')}\n`,
    )
    return [usage, ...lists].join('\n')
  }

  // Clipanion pads options by its placeholders, and does not say which are required.
  #withOptions(text: string, { options }: Definition): string {
    const width = Math.max(...options.map(({ definition }) => named(definition).length))
    const toLine = (line: string): string => {
      const plain = stripVTControlCharacters(line)
      const option = options.find(({ definition }) => plain.startsWith(`  ${named(definition)} `))
      if (option === undefined) return line
      const { definition, description = '', required } = option
      return entry(
        named(definition),
        width,
        `${description.trim()}${required ? ' (required)' : ''}`,
      )
    }
    return text.split('\n').map(toLine).join('\n')
  }
}

/** Returns a name with its description in a second column. */
function entry(name: string, width: number, words: string): string {
  const lines = wrap(words.trim(), columns - width - 4)
  return lines.map((line, at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`).join('\n')
}

// In lines that a shell takes for one.
function withExamples(text: string, { examples = [] }: Definition): string {
  return examples.reduce((whole, [, line]) => {
    if (line.length <= columns - '  $ '.length) return whole
    const parts = line.split(/ (?=-)/)
    const lines = wrapParts(parts, columns - '      '.length - ' \\'.length)
    return whole.replace(`${line}\n`, () => `${lines.join(' \\\n      ')}\n`)
  }, text)
}

/**
 * The usage of a command: its arguments and the options that it requires.
 *
 * @param indent the columns that are taken in front of it
 */
export function wholeUsage({ usage, options }: Definition, indent: number): string {
  const required = options.filter(option => option.required)
  const parts = [named(usage), ...required.map(({ definition }) => named(definition))]
  return wrapParts(parts, columns - indent).join(`\n${' '.repeat(indent)}`)
}

// An option stays with its value.
const wrapParts = (parts: readonly string[], width: number): string[] =>
  wrap(parts.map(part => part.replaceAll(' ', '\u00a0')).join(' '), width).map(line =>
    line.replaceAll('\u00a0', ' '),
  )

const valueOf = ({ range, list, choices, unit }: Limit): string => {
  if (choices !== undefined) return choices.map(choice => choice.toUpperCase()).join('|')
  if (list !== undefined) return `${list.placeholder},…`
  if (range === undefined) return 'YES|NO'
  return unit === undefined ? 'COUNT' : placeholders[unit]
}

const placeholders = { MB: 'MB', '%': 'PERCENT', s: 'SECONDS', min: 'MINUTES' } as const

// The placeholders for the values of options.
const values: Record<string, string> = Object.fromEntries([
  ...limits.map(limit => [optionOf(limit.name).slice(2), valueOf(limit)]),
  ...Object.entries({
    COUNT: 'limit max-accounts times',
    DOMAIN: 'from-domain',
    FILE: 'autoresponder filters license output',
    HOURS: 'overlap',
    JSON: 'data',
    ID: 'after',
    KEY: 'idempotency-key',
    NAME: 'admin mail name remove-user user',
    RANGE: 'add allow',
    SECONDS: 'hsts interval wait',
    TEXT: 'reason search',
    TIME: 'expires since ended-since',
    USERNAME: 'account',
    URL: 'rest s3',
    'USER@HOST[:PORT]/PATH': 'ssh',
    CONTACT: 'set',
    VERSION: 'to',
    PATH: 'document-root protect remove-redirect',
    'PATH=URL': 'redirect',
    'YES|NO': 'https-only nosniff serve-sources',
  }).flatMap(([value, options]) => options.split(' ').map(option => [option, value])),
])

// The names of arguments that can be left out or repeated, by the last word of their command.
const rests: Record<string, string> = { rebuild: 'USERNAME', set: 'NETWORK' }

/**
 * A usage line with words where clipanion prints placeholders: `#0`, which is named like its option
 * (`--email EMAIL`) where no other word says more, and a bare `...`.
 */
export const named = (usage: string): string =>
  usage
    .replaceAll(
      /--([a-z0-9-]+) #[0-9]+\b/g,
      (_all, option: string) => `--${option} ${values[option] ?? option.toUpperCase()}`,
    )
    .replaceAll(/(<[A-Z]+>) \.{3}$/gm, '$1...')
    .replaceAll(/ (\w+) \.{3}$/gm, (_all, verb: string) => ` ${verb} [${rests[verb] ?? 'WORD'}]...`)
