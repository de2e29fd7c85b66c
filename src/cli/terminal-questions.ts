import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'

type Terminal = Pick<BaseContext, 'stdin' | 'stderr'>

/** Returns whether a person can answer questions at a terminal. */
export const isTerminal = ({ stdin, stderr }: Terminal): boolean =>
  [stdin, stderr].every(stream => 'isTTY' in stream && stream.isTTY === true)

/**
 * Asks one question after the other, until an empty answer. One reader serves all of them, so that
 * what is typed ahead answers the next. Secrets are not echoed.
 *
 * @throws {PanelError} `invalid`, if the input ends
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
 * Asks one question until its answer passes `parse`, and reports each error.
 *
 * @throws {PanelError} `invalid`, if the input ends
 */
export async function askUntil<T>(
  terminal: Terminal,
  question: string,
  parse: (answer: string) => T,
): Promise<T> {
  for (;;) {
    const [answer = ''] = await ask(terminal, [question], false)
    try {
      return parse(answer.trim())
    } catch (error) {
      if (!(error instanceof PanelError)) throw error
      terminal.stderr.write(`${error.message}\n`)
    }
  }
}

/** @throws {PanelError} `invalid`, unless the answer is yes or no, or empty, which is no */
export function yesOrNo(answer: string): boolean {
  if (/^y(es)?$/i.test(answer)) return true
  if (/^(no?)?$/i.test(answer)) return false
  throw new PanelError('invalid', 'Type yes or no')
}

/** @throws {PanelError} `invalid`, unless the user at the terminal types yes */
export async function confirm(terminal: Terminal, sentence: string): Promise<void> {
  requireTerminal(terminal, sentence)
  // A typo is not an answer, and «y» is too short for what this asks.
  const isSure = await askUntil(terminal, `${sentence} Type yes to continue:  `, answer => {
    if (/^y$/i.test(answer)) throw new PanelError('invalid', 'Type yes or no')
    return yesOrNo(answer)
  })
  if (!isSure) throw new PanelError('invalid', 'Not confirmed; nothing was changed')
}

/** @throws {PanelError} `invalid`, unless the user at the terminal types this name */
export async function confirmByName(
  terminal: Terminal,
  sentence: string,
  name: string,
): Promise<void> {
  requireTerminal(terminal, sentence)
  const [answer = ''] = await ask(terminal, [`${sentence} Type ${name} to continue:  `], false)
  if (answer.trim() !== name) {
    throw new PanelError('invalid', 'Not confirmed; nothing was changed')
  }
}

// Without a terminal the question was not seen.
function requireTerminal(terminal: Terminal, sentence: string): void {
  if (isTerminal(terminal)) return
  throw new PanelError('invalid', `${sentence} To confirm without a terminal, use --yes`)
}
