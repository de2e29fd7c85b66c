import { openPool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { installMail } from '../../install/mail.ts'
import { enableMail } from '../../model/server/mail-server.ts'
import { execute } from '../execute.ts'
import { findPanel } from '../find-panel.ts'

// Rspamd compiles its patterns at its first start.
const waitMs = 300_000

type Options = Omit<Parameters<typeof installMail>[0], 'takesOver'>

/** Turns mail hosting on at the end of an installation; may run twice. */
export async function turnOnMail(
  host: string,
  environment: Record<string, string | undefined>,
  options: Options,
): Promise<void> {
  await installMail({ ...options, takesOver: false })
  const panel = findPanel(environment)
  const db = openPool(panel.databaseUrl, 'panel_owner', 1)
  try {
    const found = { ...panel, db }
    const outcome = await execute(found, enableMail, { host }, { key: undefined, waitMs })
    if (outcome.is === 'answered' && outcome.answer.status < 400) return
  } finally {
    await db.end()
  }
  const words = `The mail server could not be started: run panel mail enable --host ${host}`
  throw new PanelError('unavailable', words)
}
