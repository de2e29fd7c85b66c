import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BaseContext, Builtins, Cli, type Command } from 'clipanion'
import { installationDir } from '../config.ts'
import { StartCommand } from './start.ts'

const commands = [StartCommand]

/**
 * Runs one command line and returns its exit code. Wrong usage is 2 and goes to standard error,
 * which the library would do otherwise.
 */
export async function runCli(words: string[], given: Partial<BaseContext> = {}): Promise<number> {
  const context = { ...Cli.defaultContext, ...given }
  const cli = build()
  let command: Command
  try {
    command = cli.process(words, context)
  } catch (error) {
    context.stderr.write(cli.error(error, { colored: false }))
    return 2
  }
  return await cli.run(command, context)
}

function build(): Cli {
  const { version } = JSON.parse(readFileSync(join(installationDir, 'package.json'), 'utf8')) as {
    version: string
  }
  const cli = new Cli({ binaryLabel: 'Panel', binaryName: 'panel', binaryVersion: version })
  for (const command of [...commands, Builtins.HelpCommand, Builtins.VersionCommand]) {
    cli.register(command)
  }
  return cli
}
