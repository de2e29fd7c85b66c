import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'

type Terminal = Pick<BaseContext, 'stdin' | 'stderr'>

/** Whether somebody sits there who can answer. */
export const isTerminal = ({ stdin, stderr }: Terminal): boolean =>
  [stdin, stderr].every(stream => 'isTTY' in stream && stream.isTTY === true)

/**
 * Asks one question after the other. One reader for all: what was typed ahead answers the next one.
 * An empty first answer ends them. Nothing that is typed is shown, unless it is no secret.
 *
 * @throws {PanelError} `invalid`, where the answers end
 */
export async function ask(
  { stdin, stderr }: Terminal,
  questions: string[],
  isSecret = true,
): Promise<string[]> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = isSecret ? silence : stderr
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  const typed = reader[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      if (isSecret) stderr.write(question)
      else {
        reader.setPrompt(question)
        reader.prompt()
      }
      const line = await typed.next()
      if (isSecret) stderr.write('\n')
      if (line.done === true) throw new PanelError('invalid', 'Interrupted; nothing was changed')
      answers.push(line.value)
      if (line.value === '') return answers
    }
    return answers
  } finally {
    reader.close()
  }
}

/**
 * Has somebody confirm what destroys something.
 *
 * @throws {PanelError} `invalid`, where nobody does
 */
export async function confirm(terminal: Terminal, sentence: string): Promise<void> {
  if (!isTerminal(terminal)) {
    throw new PanelError('invalid', `${sentence} Say --yes where nobody can be asked`)
  }
  const [answer = ''] = await ask(terminal, [`${sentence} Type yes to go on: `], false)
  if (answer.trim().toLowerCase() === 'yes') return
  throw new PanelError('invalid', 'Not confirmed; nothing was changed')
}
