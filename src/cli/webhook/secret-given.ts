import type { BaseContext } from 'clipanion'
import { PanelError } from '../../errors.ts'
import { NewWebhook, newSecret } from '../../model/events/webhooks.ts'
import { readSecret } from '../secret-input.ts'

/**
 * Returns the secret of a webhook: from standard input with --secret-stdin, else a new random one.
 *
 * @throws {PanelError} `invalid`
 */
export async function secretGiven(
  { stdin }: Pick<BaseContext, 'stdin'>,
  isFromStdin: boolean,
): Promise<string> {
  if (!isFromStdin) return newSecret()
  const parsed = NewWebhook.shape.secret.safeParse(await readSecret(stdin, 'The secret'))
  if (parsed.success) return parsed.data
  throw new PanelError('invalid', `The secret ${parsed.error.issues[0]?.message}`)
}
