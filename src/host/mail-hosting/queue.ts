import type { HostAccount } from '../../model/accounts/host-account.ts'
import type { Machine, MachinePart } from '../contract.ts'
import { readWaiting } from '../mail-server/queue.ts'
import { domainsOf } from './rendering.ts'

// Messages of accounts that wait in Postfix's queue. Those of a suspended account stay, and are
// sent: they were accepted before.

type MailQueue = {
  list(): Promise<{ id: string; sender: string }[]>
  remove(ids: readonly string[]): Promise<void>
}

// Long enough for 100,000 messages.
const limitMs = 60_000

// Postfix's own grammar of ids, short and long.
const isId = (text: string): boolean => /^[0-9A-Za-z]{6,40}$/.test(text)

export const mailQueue: MachinePart<MailQueue> = {
  linux: ({ run, tools }) => ({
    async list() {
      if (!tools.has('postqueue')) return []
      const found: { id: string; sender: string }[] = []
      await readWaiting({ run }, ({ queue_id: id, sender }) => {
        if (isId(id)) found.push({ id, sender })
      })
      return found
    },
    async remove(ids) {
      await run('postsuper', ['-d', '-'], { stdin: `${ids.join('\n')}\n`, timeoutMs: limitMs })
    },
  }),
  sandbox: () => ({ list: async () => [], remove: async () => {} }),
}

/** Removes what waits in the queue from senders of the account's mail domains; may run twice. */
export async function removeQueued(machine: Machine, account: HostAccount): Promise<void> {
  const own = new Set(
    domainsOf({ ...account, desired: 'active' })
      .filter(({ isActive }) => isActive)
      .map(({ domain }) => domain),
  )
  if (own.size === 0) return
  const queue = machine.part(mailQueue)
  const waiting = await queue.list()
  const ids = waiting.flatMap(({ id, sender }) =>
    own.has(sender.slice(sender.lastIndexOf('@') + 1).toLowerCase()) ? [id] : [],
  )
  if (ids.length > 0) await queue.remove(ids)
}
