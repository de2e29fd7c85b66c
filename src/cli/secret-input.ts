import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'

// More than any password or secret has; whatever is sent beyond it is none.
const maxBytes = 1_024

/**
 * A secret from standard input: one line, whose end is not part of it. Never from an argument,
 * which everyone on the machine can read.
 *
 * @param name how a refusal calls it, as a sentence begins
 * @throws {PanelError} `invalid`
 */
export async function readSecret(stdin: BaseContext['stdin'], name: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk as Buffer))
    bytes += chunks.at(-1)?.length ?? 0
    if (bytes > maxBytes) throw new PanelError('invalid', `${name} is too long`)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return text.replace(/\r?\n$/, '')
  } catch (error) {
    throw new PanelError('invalid', `${name} is not UTF-8`, { cause: error })
  }
}
