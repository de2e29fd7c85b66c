import type { shownRelay } from '../../../model/server/mail-relay.ts'
import { fields, type Layout } from '../../columns.ts'

type Answer = { mail_relay: ReturnType<typeof shownRelay> }

/** Prints a relay without its password. */
export const relayWords = ({ mail_relay }: Answer): Layout =>
  mail_relay === null
    ? fields({ relay: 'none: mail() returns false' })
    : fields({
        relay: `${mail_relay.host}:${mail_relay.port}`,
        tls: mail_relay.tls,
        user: mail_relay.user ?? 'none',
        password: mail_relay.has_password ? 'set' : 'none',
        from_domain: mail_relay.from_domain,
      })
