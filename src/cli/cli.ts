import type { Writable } from 'node:stream'
import { type BaseContext, Builtins, Cli, type Command, type CommandClass } from 'clipanion'
import { version } from '../config.ts'
import { commandsFor } from './commands.ts'
import { lines } from './foreign-text.ts'

/**
 * Runs one command line and returns its exit code. Wrong usage exits with 2 and is written to
 * standard error; clipanion alone would exit with 1 and write it to standard output.
 */
export async function runCli(words: string[], given: Partial<BaseContext> = {}): Promise<number> {
  const context = { ...Cli.defaultContext, ...given }
  const { stdout, stderr } = context
  let lost: NodeJS.ErrnoException | undefined
  // A reader that stops early (EPIPE) is no failure; a full disk is one.
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error
  }
  stdout.on('error', onError)
  const code = await run(words, context)
  // The process would exit before a slow reader has read everything.
  await Promise.all([stdout, stderr].map(flushed))
  stdout.off('error', onError)
  if (lost === undefined) return code
  stderr.write(`panel: The result could not be written (${lost.code ?? lost.message})\n`)
  await flushed(stderr)
  return code === 0 ? 1 : code
}

async function run(words: string[], context: BaseContext): Promise<number> {
  const cli = buildCli(context, await commandsFor(words))
  let command: Command
  try {
    command = cli.process(words, context)
  } catch (error) {
    const group = helpOfGroup(cli, words)
    if (group === undefined) context.stderr.write(lines(cli.error(error, { colored: false })))
    else context.stdout.write(group)
    return group === undefined ? 2 : 0
  }
  return await cli.run(command, context)
}

// Also resolves once the reader has gone.
const flushed = (stream: Writable): Promise<void> =>
  new Promise(done => stream.write('', () => setImmediate(done)))

/** The parser of these commands. Colours are for terminals only. */
export function buildCli(
  { stdout, env, colorDepth }: BaseContext,
  commands: readonly CommandClass[],
): Cli {
  const isSeen = 'isTTY' in stdout && stdout.isTTY === true && !env['NO_COLOR']
  const cli = new PanelCli({
    binaryLabel: 'Panel',
    binaryName: 'panel',
    binaryVersion: version,
    enableColors: isSeen && colorDepth > 1,
  })
  for (const command of [...commands, Builtins.HelpCommand, Builtins.VersionCommand]) {
    cli.register(command)
  }
  return cli
}

class PanelCli extends Cli {
  override usage(...given: Parameters<Cli['usage']>): string {
    return named(super.usage(...given))
  }

  override error(...given: Parameters<Cli['error']>): string {
    return named(super.error(...given))
  }
}

/** A usage line with words where clipanion prints placeholders: `#0` and a bare `...`. */
export const named = (usage: string): string =>
  usage.replaceAll(/ #[0-9]+\b/g, ' VALUE').replaceAll(/ \.{3}$/gm, ' [NAME]...')

// Help on a group (`panel token --help`), which clipanion does not have.
function helpOfGroup(cli: Cli, words: string[]): string | undefined {
  const group = words.slice(0, -1)
  if (!['--help', '-h'].includes(words.at(-1) ?? '') || group.length === 0) return undefined
  const own = cli.definitions().filter(({ path }) => path.startsWith(`panel ${group.join(' ')} `))
  if (own.length === 0) return undefined
  return own
    .map(({ usage, description = '' }) => `${named(usage)}\n    ${description.trim()}\n`)
    .join('')
}
