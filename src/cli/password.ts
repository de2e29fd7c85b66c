import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'
import * as grammar from '../model/grammar.ts'
import { readSecret } from './secret-input.ts'

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
  const isTerminal = [stdin, stderr].every(stream => 'isTTY' in stream && stream.isTTY === true)
  if (!isTerminal) return generated()
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

// One reader for all questions: what was typed ahead answers the next one. An empty first answer
// ends them. Nothing that is typed is shown.
async function ask(
  { stdin, stderr }: Pick<BaseContext, 'stdin' | 'stderr'>,
  questions: string[],
): Promise<string[]> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: stdin, output: silence, terminal: true, historySize: 0 })
  const typed = reader[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      stderr.write(question)
      const line = await typed.next()
      stderr.write('\n')
      if (line.done === true) throw new PanelError('invalid', 'Interrupted; nothing was changed')
      answers.push(line.value)
      if (line.value === '') return answers
    }
    return answers
  } finally {
    reader.close()
  }
}
