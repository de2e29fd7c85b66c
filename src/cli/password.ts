import { randomBytes } from 'node:crypto'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import * as grammar from '../model/grammar/grammar.ts'
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
  for (;;) {
    const [first, second] = await ask({ stdin, stderr }, questions)
    if (first === '') return generated()
    const why = first === second ? whyNot(first ?? '') : 'The passwords do not match'
    if (why === undefined) return given(first ?? '')
    stderr.write(`${why}\n`)
  }
}

const questions = ['New password (leave empty to generate one): ', 'Repeat: ']

const generated = (): NewPassword => ({
  password: randomBytes(15).toString('base64url'),
  isGenerated: true,
})

function given(password: string): NewPassword {
  const why = whyNot(password)
  if (why !== undefined) throw new PanelError('invalid', why)
  return { password, isGenerated: false }
}

function whyNot(password: string): string | undefined {
  const { error } = grammar.password.safeParse(password)
  return error && `The password ${error.issues[0]?.message}`
}
