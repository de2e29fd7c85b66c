import type { Writable } from 'node:stream'
import { type BaseContext, Builtins, Cli, type Command, type CommandClass } from 'clipanion'
import { version } from '../config.ts'
import { commandsFor, meant } from './commands.ts'
import { lines } from './foreign-text.ts'
import { PanelCli } from './panel-cli.ts'
import { explain } from './wrong-usage.ts'

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
  stderr.write(`panel: Cannot write the result (${lost.code ?? lost.message})\n`)
  await flushed(stderr)
  return code === 0 ? 1 : code
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h'

async function run(typed: string[], context: BaseContext): Promise<number> {
  const words = meant(typed)
  const cli = buildCli(context, await commandsFor(words))
  let command: Command
  try {
    command = cli.process(words, context)
  } catch (error) {
    // Help on a group (`panel token --help`), which clipanion does not have.
    const group = isHelp(words.at(-1)) ? cli.overview(`${words.slice(0, -1).join(' ')} `) : ''
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : []
    if (group === '') context.stderr.write(lines(explain(cli, words, reason, typed[0])))
    else context.stdout.write(group)
    return group === '' ? 2 : 0
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
): PanelCli {
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
