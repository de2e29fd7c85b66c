import { readSftpServer } from '../../../model/server/server-snapshot.ts'
import * as sftpKeys from '../../../model/sftp-keys/sftp-keys.ts'
import { publicKeyLine } from '../../../model/sftp-keys/public-keys.ts'
import { textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { ownAccount } from './own.ts'

// The settings of an SFTP program, and the public keys that open the files without a password.

/** /account/sftp */
export const ownSftp = page({
  path: '/account/sftp',
  roles: customers,
  navigation: { label: 'customer.sftp', icon: 'folder' },
  async load(asked) {
    const record = await ownAccount(asked)
    const [server, keys] = await Promise.all([
      readSftpServer(asked.pool),
      sftpKeys.list(asked.pool, record),
    ])
    return { record, server, keys, maxKeys: sftpKeys.maxKeys }
  },
  template: 'pages/customer/sftp',
})

/** /account/sftp/keys/new */
export const addSftpKey = form({
  path: '/account/sftp/keys/new',
  roles: customers,
  title: () => t('customer.addPublicKey'),
  parent: () => '/account/sftp',
  fields: {
    publicKey: textarea('customer.publicKeyLabel', publicKeyLine, {
      conceals: /private/i,
      inputs: ['key'],
      hint: 'customer.publicKeyHint',
    }),
  },
  async load(asked) {
    const { length } = await sftpKeys.list(asked.pool, await ownAccount(asked))
    if (length >= sftpKeys.maxKeys) {
      const words = t('customer.youHaveMaxKeysKeys', { maxKeys: sftpKeys.maxKeys })
      return { words: [words], isIdle: true }
    }
    return {
      words: [t('customer.anyonePrivateKeyCan')],
    }
  },
  submit: 'customer.addKey',
  write: sftpKeys.add,
  toDesired: ({ session, values }) => ({ username: session.name, key: values.publicKey }),
  flash: () => t('customer.keyWasAdded'),
})

/** /account/sftp/keys/ID/remove */
export const removeSftpKey = form({
  path: '/account/sftp/keys/:id/remove',
  roles: customers,
  title: () => t('customer.removePublicKey'),
  parent: () => '/account/sftp',
  fields: {},
  async load(asked) {
    const { kind, fingerprint, comment } = await sftpKeys.find(
      asked.pool,
      await ownAccount(asked),
      asked.params.id,
    )
    return {
      words: [
        t('customer.keyWillStopWorking', { kind, fingerprint, comment }).trim(),
        t('customer.openSftpSessionsClosed'),
      ],
    }
  },
  submit: 'customer.removeKey',
  isDanger: true,
  write: sftpKeys.remove,
  toDesired: ({ session, params }) => ({ username: session.name, keyId: params.id }),
  flash: () => t('customer.keyWasRemoved'),
})
