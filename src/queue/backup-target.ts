import { PanelError } from '../errors.ts'
import { backupService } from '../model/account-backups/backup-service.ts'
import type { OpenTarget } from '../model/account-backups/targets.ts'
import type { Context } from './task.ts'
import { toWords } from './undo.ts'

/**
 * Tests a target by writing, reading and deleting data.
 *
 * @throws {PanelError} `invalid` with what restic reports
 */
export async function testOpen({ host, observe }: Context, target: OpenTarget): Promise<void> {
  const service = backupService(host)
  const lack = service.lack()
  if (lack !== undefined) throw new PanelError('invalid', lack)
  try {
    await observe('test backup target', () => service.testTarget(target))
  } catch (error) {
    const words = `The target cannot be used: ${toWords(error, 500)}`
    throw new PanelError('invalid', words, { cause: error })
  }
}
