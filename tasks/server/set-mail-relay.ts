import { z } from 'zod'
import { SealedRelay, shownRelay } from '../../src/model/server/mail-relay.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'
import type { Run } from '../../src/queue/operation-types.ts'

const Seen = z.object({ mail_relay: SealedRelay.nullable() })

const seenBy = ({ started }: Run) => Seen.parse(started.seen).mail_relay

// Changes the relay that takes the mail of PHP's mail(). The row has it once the machine does, so
// an undo applies the row's.
export default operation('server/set-mail-relay', {
  subject: server,
  undo: run => run.context.host.setMailRelay(seenBy(run)),
  async work(run) {
    const { host, observe } = run.context
    const mail_relay = seenBy(run)
    await observe('set mail relay', () => host.setMailRelay(mail_relay))
    const answer = { mail_relay: shownRelay(mail_relay) }
    return { status: 200, answer, change: { mail_relay }, events: [] }
  },
})
