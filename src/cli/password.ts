import { randomBytes } from 'node:crypto'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import * as grammar from '../model/grammar.ts'
import { readSecret } from './secret-input.ts'
import { ask, isTerminal } from './terminal-questions.ts'

/** A generated password has to be shown. */
type NewPassword = { password: string; isGenerated: boolean }

/**
 * The password that a command sets: from standard input with --password-stdin, else asked for at
 * the terminal, else generated. Never from an argument, which everyone on the machine can read.
 *
 * @throws {PanelError} `invalid`
 */
export async function newPassword(
  { stdin, stderr }: Pick<BaseContext, 'stdin' | 'stderr'>,
  isFromStdin: boolean,
): Promise<NewPassword> {
  if (isFromStdin) return given(await readSecret(stdin, 'The password'))
  if (!isTerminal({ stdin, stderr })) return generated()
  const questions = ['New password (empty: one is made): ', 'Once more: ']
  const [first, second] = await ask({ stdin, stderr }, questions)
  if (first === '') return generated()
  if (first !== second) throw new PanelError('invalid', 'The passwords are not the same')
  return given(first ?? '')
}

const generated = (): NewPassword => ({
  password: randomBytes(15).toString('base64url'),
  isGenerated: true,
})

function given(password: string): NewPassword {
  const parsed = grammar.password.safeParse(password)
  if (parsed.success) return { password, isGenerated: false }
  throw new PanelError('invalid', `The password ${parsed.error.issues[0]?.message}`)
}
