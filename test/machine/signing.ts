import type { Test } from 'tap'
import { certificatesOf, makeWorld } from '../support/certificates/world.ts'
import { courierOn } from '../support/courier.ts'
import { until } from '../support/until.ts'
import type { Panel } from '../support/panel.ts'

/**
 * Certificates without an authority's delays: `certify` has an account's first website ordered one,
 * or has it renewed, and returns when the API says that it has it. `ca` is who signs.
 */
export async function signAtOnce(t: Test, panel: Panel) {
  await panel.pool.query(`select panel.set_issuing(true, '{}')`)
  const world = await makeWorld()
  await courierOn(t, panel.databaseUrl, { authority: world })
  const { hasten, events } = certificatesOf(panel)
  const certify = async (username: string) => {
    world.pointing.add(`${username}.example`)
    const { length } = await events(username)
    await hasten(username, length === 0 ? 'due_at = now()' : 'due_at = now(), renew_at = now()')
    await until(async () => {
      const { body } = await panel.call('GET', `/api/v1/accounts/${username}`)
      return body.sites[0].ssl === 'issued' && (await events(username)).length > length
    })
  }
  return { certify, ca: world.certificate }
}
