import {
  readMailRelay,
  relayFields,
  relayPassword,
  removeMailRelay,
  setMailRelay,
  tlsModes,
} from '../../../model/server/mail-relay.ts'
import { word } from '../../api-call.ts'
import { number, password, select, text } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators } from '../../page.ts'
import { t, type PlainKey } from '../../texts/texts.ts'

// The relay for mail of scripts.

const base = '/server/settings'

const initial = { port: 587, tls: 'starttls' }

const labels: Record<(typeof tlsModes)[number], PlainKey> = {
  starttls: 'server.starttlsUsualPort587',
  tls: 'server.tlsUsualPort465',
  none: 'server.noneRelayMachine',
}

/** /server/settings/mail-relay */
export const mailRelay = form({
  path: `${base}/mail-relay`,
  roles: administrators,
  title: () => t('server.mailRelay'),
  parent: () => base,
  fields: {
    host: text('server.hostLabel', relayFields.host, { example: 'smtp.example.com' }),
    port: number('server.portLabel', relayFields.port),
    tls: select('server.tlsLabel', relayFields.tls),
    user: text('server.userLabel', relayFields.user.unwrap().optional(), {
      hint: 'server.userHint',
      autocomplete: 'off',
    }),
    password: password('server.passwordLabel', relayPassword.optional(), {
      hint: 'server.passwordHint',
      autocomplete: 'off',
    }),
    from_domain: text('server.fromDomainLabel', relayFields.from_domain, {
      example: 'example.net',
      hint: 'server.fromDomainHint',
    }),
  },
  async load({ pool }) {
    const relay = await readMailRelay(pool)
    const { password: _, ...values } = relay ?? { ...initial, password: '' }
    return {
      values,
      options: { tls: tlsModes.map(value => ({ value, label: t(labels[value]) })) },
      words: [relay === null ? t('server.thereNoRelayPhps') : t('server.phpsMailSendsServer')],
      isSet: relay !== null,
    }
  },
  submit: 'server.saveMailRelay',
  flash: () => t('server.mailRelayWasSaved'),
  // The page does not know whether a password was typed: the command reads it again.
  call: (_, { host, port, tls, user, from_domain }) => ({
    command: [
      `panel mail relay set ${word(host)} --port ${word(port)} --tls ${word(tls)}`,
      ...(user ? [`--user ${word(user)} --password-stdin`] : []),
      `--from-domain ${word(from_domain)}`,
    ].join(' '),
  }),
  write: setMailRelay,
  toDesired: ({ values: { user = null, ...values }, wiring }) => ({
    ...values,
    user,
    serverKey: wiring.serverKey,
  }),
})

/** /server/settings/mail-relay/remove */
export const noMailRelay = form({
  path: `${base}/mail-relay/remove`,
  roles: administrators,
  title: () => t('server.removeMailRelay'),
  parent: () => base,
  fields: {},
  load: async () => ({
    words: [t('server.thenPhpsMailReturns')],
  }),
  submit: 'server.remove',
  isDanger: true,
  flash: () => t('server.mailRelayWasRemoved'),
  call: () => ({ command: 'panel mail relay rm' }),
  write: removeMailRelay,
  toDesired: () => ({}),
})
