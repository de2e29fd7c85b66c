import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import { readSecret } from './secret-input.ts'
import { ask, isTerminal } from './terminal-questions.ts'

// A stolen backup can be attacked for years, at one second of CPU for each guess.
const minCharacters = 12

type Terminal = Pick<BaseContext, 'stdin' | 'stderr'>

/**
 * Reads the passphrase of a backup: from standard input with --passphrase-stdin, else at the
 * terminal, twice for a new one. Never from an argument.
 *
 * @throws {PanelError} `invalid`
 */
export async function readPassphrase(
  terminal: Terminal,
  { isFromStdin, isNew }: { isFromStdin: boolean; isNew: boolean },
): Promise<string> {
  const passphrase = isFromStdin
    ? await readSecret(terminal.stdin, 'The passphrase')
    : await asked(terminal, isNew)
  if (isNew && [...passphrase].length < minCharacters) {
    const words = `The passphrase must have at least ${minCharacters} characters`
    throw new PanelError('invalid', words)
  }
  return passphrase
}

async function asked(terminal: Terminal, isNew: boolean): Promise<string> {
  if (!isTerminal(terminal)) {
    const words = 'The passphrase is asked for at a terminal, or read with --passphrase-stdin'
    throw new PanelError('invalid', words)
  }
  if (!isNew) return (await ask(terminal, ['Passphrase of the backup: ']))[0] ?? ''
  const questions = ['Passphrase for the backup: ', 'Once more: ']
  const [first = '', second] = await ask(terminal, questions)
  if (first !== '' && first !== second) {
    throw new PanelError('invalid', 'The passphrases are not the same')
  }
  return first
}
