import {
  countDomains,
  listTroubledDomains,
  readMailState,
} from '../../../model/server/mail-queue.ts'
import { readMailServer } from '../../../model/server/mail-server.ts'
import { administrators, page } from '../../page.ts'

// More would not be read; panel mail queue and panel mail domain ls have them.
const maxDomains = 50
const maxMessages = 25

/** /mail: what waits, who sends the most, and mail domains with trouble. */
export const serverMail = page({
  path: '/mail',
  roles: administrators,
  navigation: { label: 'mail.mail', icon: 'mail', needsMail: true },
  async load({ pool }) {
    const [server, found, counts, domains] = await Promise.all([
      readMailServer(pool),
      readMailState(pool),
      countDomains(pool),
      listTroubledDomains(pool, maxDomains),
    ])
    const messages = found.queue?.messages.slice(0, maxMessages) ?? []
    return { server, found, counts, domains, messages }
  },
  template: 'pages/server/mail',
})
