import { closeRestored } from '../../backup/restore-rows.ts'
import { listSequences } from '../../backup/rows.ts'
import type pg from 'pg'
import { all, anyFirst, connect, connection, run } from '../../db.ts'
import { highestNumber } from '../../host/accounts/user-numbers.ts'
import { ensureFile } from '../../host/tools/files.ts'
import { installedUrl } from '../settings.ts'
import { dumpOf, loadRows } from './dump.ts'
import { replacingFile, restoringFile } from './paths.ts'
import { replaceRows } from './replace-rows.ts'
import { keepRestrictions, readRestrictions, sentence } from './restrictions.ts'
import type { ChangeStep } from './change.ts'

// Restores the rows of an earlier moment on a machine that has changed since. Rights that were
// withdrawn since are not given back, and accounts that were terminated since stay so for visitors.

export const restoreStep: ChangeStep = {
  name: 'restore',
  async act({ journal, machine }) {
    await ensureFile(restoringFile, '', 0o600)
    const given = { folder: dumpOf(journal.to), highestUid: highestNumber(machine) }
    return replaceRows(replacingFile, () =>
      restoreDump(installedUrl(), { ...given, findUser: machine.users.find }),
    )
  },
}

type Given = {
  folder: string
  /** The highest user number that the machine has seen. */
  highestUid: number
  findUser: (name: string) => number | undefined
}

/** Loads the rows of a dump into a database; returns sentences about the result. */
export async function restoreDump(
  databaseUrl: string,
  { folder, highestUid, findUser }: Given,
): Promise<string> {
  const before = await readBefore(databaseUrl)
  await loadRows(databaseUrl, folder, before.sequences)
  await closeRestored(databaseUrl, highestUid)
  return keepWithdrawn(databaseUrl, before, findUser)
}

async function readBefore(databaseUrl: string) {
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  return {
    sequences: await listSequences(client),
    revoked: await anyFirst<string>(client)`
      select id::text from panel.tokens where revoked_at is not null`,
    /** Passwords and second factors, with the epoch that each change of them has raised. */
    operators: await anyFirst<object>(client)`
      select jsonb_build_object('id', id, 'epoch', credential_epoch, 'hash', password_hash)
      from panel.operators`,
    factors: await anyFirst<object>(client)`select to_jsonb(f) from panel.second_factors f`,
    codes: await anyFirst<object>(client)`select to_jsonb(c) from panel.recovery_codes c`,
    accounts: await anyFirst<{ username: string; uid: number }>(client)`
      select jsonb_build_object('id', id, 'username', username, 'uid', uid,
        'epoch', sign_on_epoch, 'hash', password_hash, 'sign_in_hash', sign_in_hash)
      from panel.accounts where state <> 'terminated'`,
    restrictions: await readRestrictions(client),
  }
}

type Before = Awaited<ReturnType<typeof readBefore>>

async function keepWithdrawn(
  databaseUrl: string,
  before: Before,
  findUser: Given['findUser'],
): Promise<string> {
  const { operators, accounts } = before
  await using client = await connect(connection(databaseUrl, 'panel_owner'))
  await client.query('begin')
  await run(client)`
    update panel.tokens set revoked_at = now()
    where id = any (${before.revoked}::bigint[]) and revoked_at is null`
  await run(client)`delete from panel.sessions`
  await run(client)`delete from panel.sign_ons`
  const changedOperators = await anyFirst<string>(client)`
    update panel.operators o set credential_epoch = b.epoch, password_hash = b.hash
    from jsonb_to_recordset(${JSON.stringify(operators)}) as b (id bigint, epoch integer, hash text)
    where b.id = o.id and b.epoch > o.credential_epoch
    returning o.id::text`
  const changedAccounts = await anyFirst<string>(client)`
    update panel.accounts a
    set sign_on_epoch = b.epoch, password_hash = b.hash, sign_in_hash = b.sign_in_hash
    from jsonb_to_recordset(${JSON.stringify(accounts)})
      as b (id bigint, epoch integer, hash text, sign_in_hash text)
    where b.id = a.id and b.epoch > a.sign_on_epoch
    returning a.id::text`
  await keepFactors(client, before, { changedOperators, changedAccounts })
  const kept = await keepRestrictions(client, before.restrictions)

  const known = await all<{ id: string; username: string; uid: number }>(client)`
    select id::text, username, uid from panel.accounts where state in ('active', 'suspended')`
  const gone = known.filter(({ username, uid }) => findUser(username) !== uid)
  await run(client)`
    update panel.accounts
    set desired = 'suspended', state = 'suspended', suspended_by = 'administrator',
      suspended_at = now(), suspend_reason = ${reason}
    where id = any (${gone.map(({ id }) => id)}::bigint[])`
  await client.query('commit')
  // A name may belong to another account by now: a user number never does.
  const added = accounts.filter(({ uid }) => known.every(one => one.uid !== uid))
  return [
    'Webhooks, certificates and metering stay off until panel ctl dr-restore --release',
    ...sentence('Suspended, because they are no longer on the server', namesOf(gone)),
    ...sentence('On the server, but no longer known to the panel', namesOf(added)),
    ...kept,
  ].join('\n')
}

type Changed = { changedOperators: string[]; changedAccounts: string[] }

// Users whose credentials have changed since keep their current second factor, or none. For all
// others, recovery codes used since stay used.
async function keepFactors(
  client: pg.Client,
  { factors, codes }: Before,
  { changedOperators, changedAccounts }: Changed,
): Promise<void> {
  await run(client)`
    delete from panel.second_factors
    where operator_id = any (${changedOperators}::bigint[])
      or account_id = any (${changedAccounts}::bigint[])`
  await run(client)`
    insert into panel.second_factors
    select f.* from jsonb_populate_recordset(
      null::panel.second_factors, ${JSON.stringify(factors)}) f
    where f.operator_id = any (${changedOperators}::bigint[])
      or f.account_id = any (${changedAccounts}::bigint[])`
  await run(client)`
    insert into panel.recovery_codes
    select c.* from jsonb_populate_recordset(
      null::panel.recovery_codes, ${JSON.stringify(codes)}) c
    where c.operator_id = any (${changedOperators}::bigint[])
      or c.account_id = any (${changedAccounts}::bigint[])`
  await run(client)`
    update panel.recovery_codes c
    set used_at = b.used_at
    from jsonb_populate_recordset(null::panel.recovery_codes, ${JSON.stringify(codes)}) b
    where (c.operator_id = b.operator_id or c.account_id = b.account_id) and c.hash = b.hash
      and c.used_at is null and b.used_at is not null`
}

const reason = 'Its home was missing on the server when an earlier database was restored'

const namesOf = (all: readonly { username: string }[]) => all.map(({ username }) => username)
