import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import { passphrase } from '../model/server/server-backups.ts'
import { readSecret } from './secret-input.ts'
import { ask, isTerminal } from './terminal-questions.ts'

type Terminal = Pick<BaseContext, 'stdin' | 'stderr'>

/**
 * Reads the passphrase of a backup: from standard input with --passphrase-stdin, else at the
 * terminal. Never from an argument.
 *
 * @throws {PanelError} `invalid`
 */
export const readPassphrase = (terminal: Terminal, isFromStdin: boolean): Promise<string> =>
  read(terminal, isFromStdin, ['Passphrase of the backup: '])

/**
 * Reads the passphrase for a new backup, at the terminal twice.
 *
 * @throws {PanelError} `invalid`
 */
export async function newPassphrase(terminal: Terminal, isFromStdin: boolean): Promise<string> {
  const questions = ['Passphrase for the backup: ', 'Repeat: ']
  const { data, error } = passphrase.safeParse(await read(terminal, isFromStdin, questions))
  if (data !== undefined) return data
  throw new PanelError('invalid', `The passphrase ${error?.issues[0]?.message}`)
}

async function read(
  terminal: Terminal,
  isFromStdin: boolean,
  questions: string[],
): Promise<string> {
  if (isFromStdin) return readSecret(terminal.stdin, 'The passphrase')
  if (!isTerminal(terminal)) {
    const words = 'No terminal to ask for the passphrase: use --passphrase-stdin'
    throw new PanelError('invalid', words)
  }
  const answers = await ask(terminal, questions)
  if (new Set(answers).size === 1 || answers[0] === '') return answers[0]!
  throw new PanelError('invalid', 'The passphrases do not match')
}
