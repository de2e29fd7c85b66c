import { z } from 'zod'
import { MailServer, refuseTaken } from '../../src/model/server/mail-server.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'
import type { Run } from '../../src/queue/operation-types.ts'

const Seen = z.object({ mail: MailServer.nullable() })

const seenBy = ({ started }: Run) => Seen.parse(started.seen).mail

// Turns mail hosting on or off. The row has it once the machine does, so an undo applies the row's.
export default operation('server/set-mail', {
  subject: server,
  undo: run => run.context.host.setMailServer(seenBy(run)),
  async work(run) {
    const { pool, host, observe } = run.context
    const mail = seenBy(run)
    // An account may have got the name since the request.
    if (mail !== null) await refuseTaken(pool, mail.host)
    await observe('set mail server', () => host.setMailServer(mail))
    return { status: 200, answer: { mail }, change: { mail }, events: [] }
  },
})
