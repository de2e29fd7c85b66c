import { z } from 'zod'
import { all, type Db, one } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { account as accountSubject, onAccount, type AccountRecord } from '../accounts/accounts.ts'
import type { AccountSubject } from '../operations/operations.ts'
import { fingerprintOf } from './public-keys.ts'

// The public keys with which an account's user logs in by SFTP. Their operations are in the
// account's lane and complete with it.

/** The functions by which operations write a key's row when they start and end. */
export const sftpKey = {
  ...{ ...accountSubject, writeDesired: 'write_desired_sftp_key' },
  about: z.object({ keyId: z.string().nullable() }),
} satisfies AccountSubject<unknown>

// Each is a line of a file that sshd reads from the top at every login.
/** The maximum number of keys of an account. */
export const maxKeys = 20

export const add = onAccount<{ key: { key: string; comment: string } }>({
  name: 'sftp/add-key',
  subject: ({ key }) => fingerprintOf(key.key),
  async decide(db, { desired, found, id }) {
    const { key, comment } = desired.key
    const { id: keyId, refusal } = await one<Added>(db)`
      select id, refusal
      from panel.add_sftp_key(${id}, ${found.id}, ${key}, ${comment}, ${maxKeys})`
    if (refusal === 'known') {
      throw new PanelError('invalid', 'The account already has this key', { field: 'key' })
    }
    if (refusal === 'many') throw new PanelError('invalid', `An account may have ${maxKeys} keys`)
    return { accountId: found.id, params: { key_id: keyId } }
  },
})

export const remove = onAccount<{ keyId: string }>({
  name: 'sftp/remove-key',
  async decide(db, { desired: { keyId }, found }) {
    const key = await find(db, found, keyId)
    return { accountId: found.id, params: { key_id: key.id } }
  },
})

export const unknown = (): PanelError => new PanelError('not_found', 'No such key exists')

type Added = { id: string | null; refusal: 'known' | 'many' | null }

export type SftpKey = {
  id: string
  /** The type in OpenSSH's notation: ssh-ed25519. */
  kind: string
  comment: string
  fingerprint: string
  state: 'adding' | 'present' | 'removing'
  created_at: Date
}

/** Returns the keys of an account, oldest first, with those that are being added or removed. */
export async function list(db: Db, { id }: Pick<AccountRecord, 'id'>): Promise<SftpKey[]> {
  const rows = await all<Omit<SftpKey, 'kind' | 'fingerprint'> & { key: string }>(db)`
    select id::text, key, comment, created_at,
      case
        when added_by is not null then 'adding' when desired = 'absent' then 'removing'
        else 'present'
      end as state
    from panel.sftp_keys
    where account_id = ${id}
    order by sftp_keys.id`
  return rows.map(({ key, ...row }) => ({
    ...row,
    kind: key.split(' ')[0]!,
    fingerprint: fingerprintOf(key),
  }))
}

/**
 * Returns one key that has been added.
 *
 * @throws {PanelError} `not_found`
 */
export async function find(db: Db, account: Pick<AccountRecord, 'id'>, id: string) {
  const key = (await list(db, account)).find(one => one.id === id && one.state !== 'adding')
  if (key === undefined) throw unknown()
  return key
}
