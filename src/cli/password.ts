import { randomBytes } from 'node:crypto'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import * as grammar from '../model/grammar.ts'
import { readSecret } from './secret-input.ts'
import { ask, isTerminal } from './terminal-questions.ts'

/** A password, and whether it is news to whoever runs the command. */
export type NewPassword = { password: string; isGenerated: boolean }

/**
 * The password that a command is to set: from standard input, where it is asked to; else from
 * whoever sits at the terminal; else one that is generated and shown once. Never from an argument,
 * which everyone on the machine can read.
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
