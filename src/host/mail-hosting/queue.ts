import { log } from '../../log.ts'
import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { MailQueueHost } from '../../model/server/queue-changes.ts'
import type { Machine, MachinePart } from '../contract.ts'
import { readMailHost } from '../mail-server/setup.ts'
import { readWaiting } from '../mail-server/queue.ts'
import { listNames } from '../tools/files.ts'
import { domainsOf } from './rendering.ts'

// Messages of accounts that wait in Postfix's queue. Those of a suspended account are put on hold,
// and go on when it is active again.

type MailQueue = {
  list(): Promise<{ id: string; sender: string; queue: string }[]>
  /** Whether any message is on hold. */
  hasAnyOnHold(): boolean
  hold(ids: readonly string[]): Promise<void>
  release(ids: readonly string[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** Has Postfix, which may be down, try a message again now. */
  retry(id: string): Promise<void>
}

// Released messages that are tried at once; the others are at their next turn, within the hour.
const maxRetried = 100

// Long enough for 100,000 messages.
const limitMs = 60_000

const holdFolder = '/var/spool/postfix/hold'

// Postfix's own grammar of ids, short and long.
const isId = (text: string): boolean => /^[0-9A-Za-z]{6,40}$/.test(text)

export const mailQueue: MachinePart<MailQueue> = {
  linux({ run, tools, path }) {
    const change = async (option: '-d' | '-h' | '-H', ids: readonly string[]) => {
      await run('postsuper', [option, '-'], { stdin: `${ids.join('\n')}\n`, timeoutMs: limitMs })
    }
    return {
      async list() {
        if (!tools.has('postqueue')) return []
        const found: { id: string; sender: string; queue: string }[] = []
        await readWaiting({ run }, ({ queue_id: id, queue_name: queue, sender }) => {
          if (isId(id)) found.push({ id, sender, queue })
        })
        return found
      },
      hasAnyOnHold: () => listNames(path(holdFolder)).length > 0,
      hold: ids => change('-h', ids),
      release: ids => change('-H', ids),
      remove: ids => change('-d', ids),
      retry: async id => void (await run('postqueue', ['-i', id])),
    }
  },
  sandbox: () => ({
    list: async () => [],
    hasAnyOnHold: () => false,
    hold: async () => {},
    release: async () => {},
    remove: async () => {},
    retry: async () => {},
  }),
}

/** Removes what waits in the queue from the account's senders; may run twice. */
export async function removeQueued(machine: Machine, account: HostAccount): Promise<void> {
  const queue = machine.part(mailQueue)
  const ids = (await listOf(machine, account)).map(({ id }) => id)
  if (ids.length > 0) await queue.remove(ids)
}

/**
 * Puts what waits from the senders of a suspended account on hold, and releases that of an active
 * one; may run twice. The account never waits for a queue that cannot be read.
 */
export async function holdQueued(machine: Machine, account: HostAccount): Promise<void> {
  const queue = machine.part(mailQueue)
  const isActive = account.desired === 'active'
  if (isActive && !queue.hasAnyOnHold()) return
  try {
    const all = await listOf(machine, account)
    const ids = all.filter(one => (one.queue === 'hold') === isActive).map(({ id }) => id)
    if (ids.length === 0) return
    if (!isActive) return await queue.hold(ids)
    await queue.release(ids)
    for (const id of ids.slice(0, maxRetried)) await queue.retry(id)
  } catch (error) {
    log.error('waiting messages are not put on hold or released', error, { uid: account.uid })
  }
}

// Mailboxes and scripts send as addresses of the account's mail domains; scripts of an account
// without any as its name at the mail server's.
async function listOf(machine: Machine, account: HostAccount) {
  const host = readMailHost(machine)
  const domains = new Set(
    domainsOf({ ...account, desired: 'active' })
      .filter(({ isActive }) => isActive)
      .map(({ domain }) => domain),
  )
  if (host === null && domains.size === 0) return []
  const own = `${account.username}@${host ?? ''}`
  const isOwn = (sender: string) =>
    sender === own || domains.has(sender.slice(sender.lastIndexOf('@') + 1).toLowerCase())
  return (await machine.part(mailQueue).list()).filter(({ sender }) => isOwn(sender))
}

/** Changes of the queue that administrators request. */
export const mailQueueOf = (machine: Machine) => {
  const waiting = async (ids: readonly string[]) =>
    (await machine.part(mailQueue).list()).filter(({ id }) => ids.includes(id))
  return {
    async retryQueued(ids) {
      const queue = machine.part(mailQueue)
      const all = await waiting(ids)
      const onHold = all.filter(one => one.queue === 'hold').map(({ id }) => id)
      if (onHold.length > 0) await queue.release(onHold)
      for (const { id } of all) await queue.retry(id)
      return all.map(({ id }) => id)
    },
    async deleteQueued(ids) {
      const found = (await waiting(ids)).map(({ id }) => id)
      if (found.length > 0) await machine.part(mailQueue).remove(found)
      return found
    },
  } satisfies MailQueueHost
}
