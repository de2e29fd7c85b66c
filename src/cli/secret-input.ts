import type { BaseContext } from 'clipanion'
import { PanelError } from '../errors.ts'

// More than any password or secret may have.
const usualMaxBytes = 1_024

/**
 * Reads a secret from standard input, without its line break. Secrets are never arguments, which
 * everyone on the machine can read.
 *
 * @param name what a refusal begins with (`The password`)
 * @throws {PanelError} `invalid`
 */
export async function readSecret(
  stdin: BaseContext['stdin'],
  name: string,
  maxBytes = usualMaxBytes,
): Promise<string> {
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
