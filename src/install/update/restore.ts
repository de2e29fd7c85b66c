import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { listSequences, Sequence } from '../../backup/rows.ts'
import { all, column, connect, connection, run } from '../../db.ts'
import { highestNumber } from '../../host/accounts/user-numbers.ts'
import type { Machine } from '../../host/contract.ts'
import { ensureFile, isThere } from '../../host/tools/files.ts'
import { installedUrl } from '../settings.ts'
import { loadDump } from './dump.ts'
import { updateFolder } from './places.ts'
import type { ChangeStep } from './change.ts'

// The rows of an earlier moment come back, on a machine that has gone on. What was taken from
// somebody since is not given back, and accounts that were terminated since stay so for visitors.

const rightsFile = join(updateFolder, 'before-restore.json')

/** What rows say before they go. */
const Before = z.object({
  sequences: z.array(Sequence),
  revoked: z.array(z.string()),
  /** Passwords and second factors, with the epoch that each change of them has raised. */
  owners: z.array(z.object({ id: z.string(), epoch: z.int(), hash: z.string() })),
  factors: z.array(z.record(z.string(), z.unknown())),
  codes: z.array(z.record(z.string(), z.unknown())),
  accounts: z.array(z.object({ id: z.string(), username: z.string(), epoch: z.int() })),
})

type Before = z.infer<typeof Before>

export const restoreStep: ChangeStep = {
  name: 'restore',
  async act({ journal, machine }) {
    const before = await keepBefore()
    const seen = { sequences: before.sequences, highestUid: highestNumber(machine) }
    await loadDump(installedUrl(), journal.to, seen)
    const words = await withhold(before, machine)
    rmSync(rightsFile)
    return words
  },
}

// On the disk before the rows go: whoever is killed meanwhile finds it.
async function keepBefore(): Promise<Before> {
  if (!isThere(rightsFile)) {
    await using client = await connect(connection(installedUrl(), 'panel_owner'))
    const before: Before = {
      sequences: await listSequences(client),
      revoked: await column<string>(client)`
        select id::text from panel.tokens where revoked_at is not null`,
      owners: await all<Before['owners'][number]>(client)`
        select id::text, credential_epoch as epoch, password_hash as hash from panel.owners`,
      factors: await column<Record<string, unknown>>(client)`
        select to_jsonb(f) from panel.second_factors f`,
      codes: await column<Record<string, unknown>>(client)`
        select to_jsonb(c) from panel.recovery_codes c`,
      accounts: await all<Before['accounts'][number]>(client)`
        select id::text, username, sign_on_epoch as epoch
        from panel.accounts where state <> 'terminated'`,
    }
    await ensureFile(rightsFile, JSON.stringify(before), 0o600)
  }
  return Before.parse(JSON.parse(readFileSync(rightsFile, 'utf8')))
}

async function withhold(before: Before, machine: Machine): Promise<string | undefined> {
  const { owners, accounts } = before
  await using client = await connect(connection(installedUrl(), 'panel_owner'))
  await client.query('begin')
  await run(client)`
    update panel.tokens set revoked_at = now()
    where id = any (${before.revoked}::bigint[]) and revoked_at is null`
  await run(client)`delete from panel.sessions`
  await run(client)`delete from panel.sign_ons`
  const changed = await column<string>(client)`
    update panel.owners o set credential_epoch = b.epoch, password_hash = b.hash
    from jsonb_to_recordset(${JSON.stringify(owners)}) as b (id bigint, epoch integer, hash text)
    where b.id = o.id and b.epoch > o.credential_epoch
    returning o.id::text`
  await run(client)`delete from panel.second_factors where owner_id = any (${changed}::bigint[])`
  await run(client)`
    insert into panel.second_factors
    select f.* from jsonb_populate_recordset(
      null::panel.second_factors, ${JSON.stringify(before.factors)}) f
    where f.owner_id = any (${changed}::bigint[])`
  await run(client)`
    insert into panel.recovery_codes
    select c.* from jsonb_populate_recordset(
      null::panel.recovery_codes, ${JSON.stringify(before.codes)}) c
    where c.owner_id = any (${changed}::bigint[])`
  await run(client)`
    update panel.accounts a set sign_on_epoch = b.epoch
    from jsonb_to_recordset(${JSON.stringify(accounts)}) as b (id bigint, epoch integer)
    where b.id = a.id and b.epoch > a.sign_on_epoch`

  const known = await all<{ id: string; username: string; uid: number }>(client)`
    select id::text, username, uid from panel.accounts where state in ('active', 'suspended')`
  const gone = known.filter(({ username, uid }) => machine.users.find(username) !== uid)
  await run(client)`
    update panel.accounts
    set wanted = 'suspended', state = 'suspended', suspended_by = 'administrator',
      suspended_at = now(), suspend_reason = ${reason}
    where id = any (${gone.map(({ id }) => id)}::bigint[])`
  await client.query('commit')
  const added = accounts.filter(({ username }) => known.every(one => one.username !== username))
  return sentences({ gone, added })
}

const reason = 'Its home was gone from the machine when an earlier database was restored'

type Named = readonly { username: string }[]

function sentences({ gone, added }: { gone: Named; added: Named }) {
  const list = (all: Named) => all.map(({ username }) => username).join(', ')
  return [
    'Webhooks, certificates and metering wait for panel ctl dr-restore --release',
    ...(gone.length === 0 ? [] : [`Suspended, as the machine has them no more: ${list(gone)}`]),
    ...(added.length === 0
      ? []
      : [`On the machine, and no longer known to the panel: ${list(added)}`]),
  ].join('\n')
}
