import { statSync } from 'node:fs'
import * as health from '../../model/server/database-health.ts'
import { isPaused } from '../../model/jobs/paused-tasks.ts'
import { listSealedSecrets } from '../../model/server/secrets.ts'
import { unseal } from '../../model/server/sealing.ts'
import { readServerKey } from '../../model/server/server-key.ts'
import { secretsKey } from '../../model/events/webhooks.ts'
import { readAuthorities } from '../../outside/authorities.ts'
import {
  type Checks,
  count,
  duration,
  failure,
  fixedBy,
  findConcerns,
  list,
  Skip,
  warning,
  well,
} from './check.ts'
import { requireReleased } from './backups.ts'

// Longer than all attempts of a delivery whose receiver never answers.
const lateSeconds = 300

/** Checks webhooks and their deliveries. */
export const webhookChecks: Checks = {
  failing: panel =>
    findConcerns(panel, 'webhooks/failing', {
      isWell: 'Every webhook can be reached',
      advice: () => 'panel webhook deliveries says why; panel webhook rm removes it',
    }),
  async 'failed-deliveries'({ db }) {
    const failed = await health.listFailedDeliveries(await db())
    if (failed.length === 0) return well('No delivery failed in the last day')
    const names = failed.map(
      one => `${one.webhook_id} (${one.count}, ${one.error ?? 'no attempt'})`,
    )
    const words = `Deliveries failed in the last day: ${list(names)}`
    const advice = 'panel jobs retry --task webhook/deliver sends them again'
    return fixedBy(warning(words, advice), { do: 'view', page: 'failed-deliveries' })
  },
  async backlog({ db }) {
    await requireReleased(await db())
    if (await isPaused(await db(), 'webhook/deliver')) {
      throw new Skip('webhook/deliver is paused: see queue')
    }
    const { due, oldest_s } = await health.describeBacklog(await db())
    if (oldest_s < lateSeconds) return well(`${deliveries(due)} due`)
    const words = `${deliveries(due)} due, the oldest for ${duration(oldest_s)}`
    return warning(
      words,
      'Make sure that the courier is running; see panel webhook deliveries for the receivers',
    )
  },
  async authorities({ config: { webhookCa } }) {
    if (webhookCa === null) throw new Skip('PANEL_WEBHOOK_CA is not set')
    const advice = 'Fix it or remove PANEL_WEBHOOK_CA, then restart panel-courier'
    // The courier's unit has no homes, and temporary folders of its own.
    if (/^\/(home|root|run\/user|tmp|var\/tmp)\//.test(webhookCa)) {
      return failure(`The courier cannot see ${webhookCa}: move the file below /etc/panel`, advice)
    }
    try {
      const found = readAuthorities(webhookCa)
      const isOpen = (statSync(webhookCa).mode & 0o004) !== 0
      if (isOpen) return well(`The courier trusts ${count(found.length, 'private certificate')}`)
      return failure(`The courier cannot read ${webhookCa}`, `chmod o+r ${webhookCa}`)
    } catch (error) {
      return failure((error as Error).message, advice)
    }
  },
  async secrets({ db, config }) {
    const sealed = await listSealedSecrets(await db())
    if (sealed.length === 0) return well('No webhook has a secret yet')
    const key = secretsKey(readServerKey(config.keyFile))
    const lost = sealed.filter(({ id, secret }) => !opens(id, secret, key))
    if (lost.length === 0) return well(`${count(sealed.length, 'secret')} can be decrypted`)
    const names = list(lost.map(({ id }) => id))
    const words = `The server's key does not decrypt the secrets of webhooks: ${names}`
    return failure(
      words,
      'Restore the key that they were created with, or run panel webhook secret',
    )
  },
}

const deliveries = (due: number): string => (due === 1 ? '1 delivery is' : `${due} deliveries are`)

function opens(id: string, secret: Buffer, key: Buffer): boolean {
  try {
    unseal(secret, key, id)
    return true
  } catch {
    return false
  }
}
