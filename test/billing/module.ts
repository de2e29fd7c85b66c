import type { Test } from 'tap'
import { openPanel } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { cases, fewOperations, withstands } from './faults.ts'
import { openFaulty } from './faulty.ts'
import { startPhp } from './php.ts'
import {
  picksAnotherUsername,
  livesItsLife,
  newOrder,
  sellPackages,
  takesDomainsAsTyped,
} from './scenarios.ts'
import { install } from './unpack.ts'

/** A billing system with its module, a panel with two resellers, and a faulty proxy between. */
export type Module = Awaited<ReturnType<typeof openModule>>

export async function openModule(t: Test, system: string) {
  const panel = await openPanel(t)
  await sellPackages(panel)
  const reseller = await makeReseller(panel.pool, 'reseller')
  await sellPackages(panel, reseller.token)
  const otherReseller = await makeReseller(panel.pool, 'othershop')
  await sellPackages(panel, otherReseller.token)
  const root = await install(t, system)
  const start = () => startPhp(t, { operations: `${system}/operations.php`, root })
  const { port } = new URL(panel.baseUrl)
  /** Connects without the proxy. */
  const server = { host: '127.0.0.1', isSecure: false, port, token: panel.token }
  const faulty = await openFaulty(t, panel.baseUrl)
  /** Connects through the proxy. */
  const watched = { ...server, port: faulty.port }
  const php = start()
  return {
    ...{ panel, php, start, faulty, root, server, watched, reseller, otherReseller },
    ...{ sellersToken: reseller.token, otherToken: otherReseller.token },
    /** Connects with a token: by way of the faulty proxy, or to another panel. */
    connect: (token: string, port: string | number = faulty.port) =>
      php.run('connect', { ...server, port, token }),
  }
}

type Ways = {
  /** The reason that the panel gets for a suspension; null from systems that give none. */
  reason?: string | null
  /** Whether an order gets another username where its own is taken. */
  picksUsernames?: boolean
  /** The operations whose answer is lost. */
  operations?: typeof fewOperations
}

/** Tests what all modules do alike. */
export async function worksAsAllDo(
  t: Test,
  module: Module,
  { reason, picksUsernames = true, operations = fewOperations }: Ways = {},
): Promise<void> {
  const { panel, php, start, server, watched, sellersToken, otherToken } = module

  await t.test('an order lives its life', async t => {
    await php.run('connect', server)
    await livesItsLife(t, module, newOrder(), reason)
  })

  await t.test("a reseller's orders live theirs", async t => {
    const php = start()
    await php.run('connect', { ...server, token: sellersToken })
    await livesItsLife(t, { panel, php }, newOrder(), reason)
    if (picksUsernames) await picksAnotherUsername(t, { panel, php }, otherToken)
  })

  await t.test('a domain is taken as it was typed, without intl', async t => {
    await php.run('connect', server)
    await takesDomainsAsTyped(t, module)
  })

  await t.test('a lost answer harms no operation', async t => {
    await php.run('connect', watched)
    const lost = cases.find(({ name }) => name === 'the answer is lost')!
    for (const operation of operations) await withstands(t, module, operation, lost)
  })
}
