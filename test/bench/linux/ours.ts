import { call } from '../panel.ts'
import { start } from '../processes.ts'
import type { Account, Maker, Verb } from './machine.ts'

/** Calls the API with one of the tokens. */
type Call = (method: string, path: string, body: unknown) => Promise<void>

/** The panel's own API and worker on this machine; its accounts have these limits. */
export async function openOurs(
  limits: object = { memory_mb: 512, cpu_percent: 100 },
): Promise<Maker & { call: Call }> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: process.env['DATABASE_URL'] ?? '',
    PANEL_DEVELOPMENT: 'yes',
    PANEL_HOST: 'linux',
    PANEL_LISTEN: '127.0.0.1:0',
    PANEL_STATE_DIR: '/var/lib/panel-state',
  }
  await start('bin/panel-worker.ts', { env })
  const { port } = await start('bin/panel-api.ts', { env })
  const tokens = (process.env['BENCH_TOKENS'] ?? '').split(' ')
  let calls = 0
  const ask: Call = (...asked) => call(port, tokens[calls++ % tokens.length] ?? '', ...asked)
  await ask('PUT', '/packages/starter', limits)
  const make = ({ username, domain, password }: Account) =>
    ask('POST', '/accounts', {
      username,
      password,
      email: `${username}@example.com`,
      package: 'starter',
      domain,
    })
  const change = async (verb: Verb, { username }: Account) => {
    const path = `/accounts/${username}`
    if (verb === 'terminate') await ask('DELETE', path, undefined)
    else await ask('POST', `${path}/${verb}`, verb === 'suspend' ? {} : undefined)
  }
  return {
    call: ask,
    make,
    change,
    async makeOthers(accounts) {
      const waiting = [...accounts]
      const work = async () => {
        for (let account = waiting.pop(); account !== undefined; account = waiting.pop()) {
          await make(account)
        }
      }
      await Promise.all(Array.from({ length: 16 }, work))
    },
  }
}
