import pRetry from 'p-retry'
import { log } from '../log.ts'
import { type HostAccount, toHostAccount } from '../model/accounts/host-account.ts'
import * as rebuilds from '../model/jobs/rebuilds.ts'
import { removeOrphaned } from './orphaned-websites.ts'
import type { Context } from './task.ts'
import type { RepeatedWork } from './repeated-work.ts'

// After each boot all accounts are compared with the machine, and those that differ are rebuilt,
// each in its own lane as `panel ctl rebuild` does.

const retryMs = 10_000

/** Compares in the background; repeats failures until it is done. */
export function startComparison(context: Given): RepeatedWork {
  const abort = new AbortController()
  const { signal } = abort
  const running = pRetry(() => compare(context, signal), {
    ...{ retries: Infinity, minTimeout: retryMs, factor: 1, signal },
    onFailedAttempt: ({ error }) => log.error('a comparison failed', error),
  }).catch(() => undefined)
  return {
    stop: async () => {
      abort.abort()
      await running
    },
  }
}

type Given = Pick<Context, 'pool' | 'host'>

async function compare({ pool, host }: Given, signal: AbortSignal): Promise<void> {
  if (host.isComparisonDue()) {
    const accounts = (await rebuilds.list(pool, [])).flatMap(read)
    const differing = await Array.fromAsync(host.listDiffering(accounts, signal))
    for await (const _ of rebuilds.rebuild(pool, differing, signal));
    await removeOrphaned(pool, host)
    const counts = { accounts: accounts.length, differed: differing.length }
    log.info('accounts compared after a boot', counts)
  }
  await host.noteComparison()
}

// Parses an account; skips an invalid row, which `panel ctl doctor` reports.
function read({ record, ...secrets }: rebuilds.Rebuildable): HostAccount[] {
  try {
    return [toHostAccount(record, secrets)]
  } catch {
    return []
  }
}
