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

// The relay for mail of scripts.

const base = '/server/settings'

const initial = { port: 587, tls: 'starttls' }

const labels: Record<(typeof tlsModes)[number], string> = {
  starttls: 'STARTTLS (usual on port 587)',
  tls: 'TLS (usual on port 465)',
  none: 'None, for a relay on this machine',
}

/** /server/settings/mail-relay */
export const mailRelay = form({
  path: `${base}/mail-relay`,
  roles: administrators,
  title: () => 'Mail relay',
  parent: () => base,
  fields: {
    host: text('Server', relayFields.host, { example: 'smtp.example.com' }),
    port: number('Port', relayFields.port),
    tls: select('Encryption', relayFields.tls),
    user: text('User', relayFields.user.unwrap().optional(), {
      hint: 'Leave it empty if the relay asks for none.',
      autocomplete: 'off',
    }),
    password: password('Password', relayPassword.optional(), {
      hint: 'It is never shown. Leave it empty to keep it, unless the server or user changes.',
      autocomplete: 'off',
    }),
    from_domain: text('Domain of senders', relayFields.from_domain, {
      example: 'example.net',
      hint: "Messages are sent by the account's name at this domain.",
    }),
  },
  async load({ pool }) {
    const relay = await readMailRelay(pool)
    const { password: _, ...values } = relay ?? { ...initial, password: '' }
    return {
      values,
      options: { tls: tlsModes.map(value => ({ value, label: labels[value] })) },
      words: [
        relay === null
          ? "There is no relay: PHP's mail() returns false in every script, and the panel itself " +
            'sends no mail.'
          : "PHP's mail() sends by this server, within the limit of each account's package, and " +
            'so does the panel itself.',
      ],
      isSet: relay !== null,
    }
  },
  submit: 'Save mail relay',
  flash: () => 'The mail relay was saved.',
  call: (_, { host, port, tls, user, from_domain }) => ({
    command:
      `panel mail relay set ${word(host)} --port ${word(port)} --tls ${word(tls)}` +
      `${user ? ` --user ${word(user)} --password-stdin` : ''} --from-domain ${word(from_domain)}`,
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
  title: () => 'Remove the mail relay',
  parent: () => base,
  fields: {},
  load: async () => ({
    words: ["Then PHP's mail() returns false in every script, and the panel sends no mail."],
  }),
  submit: 'Remove',
  isDanger: true,
  flash: () => 'The mail relay was removed.',
  call: () => ({ command: 'panel mail relay rm' }),
  write: removeMailRelay,
  toDesired: () => ({}),
})
