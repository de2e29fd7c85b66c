import { readSftpServer } from '../../../model/server/server-snapshot.ts'
import * as sftpKeys from '../../../model/sftp-keys/sftp-keys.ts'
import { publicKeyLine } from '../../../model/sftp-keys/public-keys.ts'
import { textarea } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers, page } from '../../page.ts'
import { ownAccount } from './own.ts'

// The settings of an SFTP program, and the public keys that open the files without a password.

/** /account/sftp */
export const ownSftp = page({
  path: '/account/sftp',
  roles: customers,
  navigation: { label: 'SFTP', icon: 'folder' },
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
  title: () => 'Add public key',
  parent: () => '/account/sftp',
  fields: {
    publicKey: textarea('Public key', publicKeyLine, {
      conceals: /private/i,
      inputs: ['key'],
      hint:
        'One line in OpenSSH format, from the file that ends in .pub: ssh-ed25519 AAAA… ' +
        'you@home. To create a key pair, run ssh-keygen -t ed25519.',
    }),
  },
  async load(asked) {
    const { length } = await sftpKeys.list(asked.pool, await ownAccount(asked))
    if (length >= sftpKeys.maxKeys) {
      const words = `You have ${sftpKeys.maxKeys} keys, the maximum: remove one first.`
      return { words: [words], isIdle: true }
    }
    return {
      words: ['Anyone with its private key can log in by SFTP without your password.'],
    }
  },
  submit: 'Add key',
  write: sftpKeys.add,
  toDesired: ({ session, values }) => ({ username: session.name, key: values.publicKey }),
  flash: () => 'The key was added.',
})

/** /account/sftp/keys/ID/remove */
export const removeSftpKey = form({
  path: '/account/sftp/keys/:id/remove',
  roles: customers,
  title: () => 'Remove public key',
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
        `This key will stop working: ${kind} ${fingerprint} ${comment}`.trim(),
        'Open SFTP sessions are closed and have to log in again.',
      ],
    }
  },
  submit: 'Remove key',
  isDanger: true,
  write: sftpKeys.remove,
  toDesired: ({ session, params }) => ({ username: session.name, keyId: params.id }),
  flash: () => 'The key was removed.',
})
