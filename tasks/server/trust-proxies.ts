import { z } from 'zod'
import { server, toTrustedProxies } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'
import type { Run } from '../../src/queue/operation-types.ts'

const Seen = z.object({ trusted_proxies: z.unknown() })

const seenBy = ({ started }: Run): string[] =>
  toTrustedProxies(Seen.parse(started.seen).trusted_proxies)

// Makes nginx trust other proxies, which reloads it once. The row has the list when nginx does, so
// an undo applies the row's.
export default operation('server/trust-proxies', {
  subject: server,
  async undo(run) {
    const { host } = run.context
    await host.noteTrustedProxies(seenBy(run))
    await host.ensureShared()
  },
  async work(run) {
    const { host, observe } = run.context
    const trusted_proxies = seenBy(run)
    await observe('trust proxies', () => host.trustProxies(trusted_proxies))
    const change = { trusted_proxies }
    return { status: 200, answer: change, change, events: [] }
  },
})
