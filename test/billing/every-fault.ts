import t, { type Test } from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { openPanel } from '../support/panel.ts'
import {
  cases,
  fewOperations,
  operations,
  slowCases,
  withstands,
  type Case,
  type Operation,
} from './faults.ts'
import { openFaulty } from './faulty.ts'
import { startPhp, withoutPhp } from './php.ts'
import { sellPackages } from './scenarios.ts'
import { install } from './unpack.ts'

/** Every operation of a system's module under every fault. */
export function everyFault(system: string): void {
  void t.test(`${system}: all that can go wrong`, { skip: withoutPhp }, async t => {
    const panel = await openPanel(t)
    await sellPackages(panel)
    const root = system === 'shared' ? '' : await install(t, system)
    const under = (t: Test, operation: Operation, some: Case[], slow = '') =>
      t.test(`${operation.name}${slow}`, async t => {
        const faulty = await openFaulty(t, panel.baseUrl)
        const php = startPhp(t, { operations: `${system}/operations.php`, root })
        // One token for all would exceed the rate limit.
        const { token } = await createToken(panel.pool, { owner: 'admin', name: 'billing' })
        const server = { host: '127.0.0.1', port: faulty.port, isSecure: false, token }
        await php.run('connect', server)
        const bench = { panel: { ...panel, token }, php, faulty }
        for (const each of some) await withstands(t, bench, operation, each)
      })
    // They mostly wait, and each has a PHP and a proxy of its own. With more at once a busy machine
    // lets an answer wait for 10 seconds, and the modules take the panel for away then.
    t.jobs = 5
    const all = [
      ...fewOperations.map(operation => under(t, operation, slowCases, ', long')),
      ...operations.map(operation => under(t, operation, cases)),
    ]
    await Promise.all(all)
  })
}
