import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'clipanion'
import type { Pool } from '../../db.ts'
import { PanelError } from '../../errors.ts'
import { differences, type Difference } from '../../host/differences.ts'
import { openMachine } from '../../host/machine.ts'
import { unknown } from '../../model/accounts.ts'
import type { HostAccount } from '../../model/host-account.ts'
import { isPaused } from '../../model/paused-tasks.ts'
import * as rebuilds from '../../model/rebuilds.ts'
import { DatabaseCommand } from '../database-command.ts'
import type { ExitCode } from '../panel-command.ts'

const lookMs = 100

export class CtlRebuildCommand extends DatabaseCommand {
  static override paths = [['ctl', 'rebuild']]
  static override usage = Command.Usage({
    category: 'Server',
    description: 'make the machine agree with the accounts again',
    details:
      'The worker does it, account by account, between the operations that customers ask for.',
    examples: [
      ['Rebuild every account', '$0 ctl rebuild'],
      ['Show what would change for one', '$0 ctl rebuild --dry-run alice'],
    ],
  })

  dryRun = Option.Boolean('--dry-run', false, { description: 'only show what would change' })
  usernames = Option.Rest({ name: 'USERNAME' })

  async act(): Promise<ExitCode> {
    const { db, config } = await this.open()
    const accounts = await rebuilds.listRebuildable(db, this.usernames)
    const missing = this.usernames.find(name => !accounts.some(({ username }) => username === name))
    if (missing !== undefined) throw unknown(missing)
    if (!this.dryRun) return this.rebuild(db, accounts)
    const root = config.host === 'linux' ? '/' : join(config.stateDir, 'host')
    const machine = openMachine({ kind: config.host, root })
    const found = accounts.map(account => ({
      username: account.username,
      differences: differences(machine, account),
    }))
    const differing = found.filter(one => one.differences.length > 0)
    this.show({ accounts: differing }, differing.map(inWords).join(''))
    this.tell(`${differing.length} of ${accounts.length} accounts differ`)
    return 0
  }

  private async rebuild(db: Pool, accounts: HostAccount[]): Promise<ExitCode> {
    if (!(await rebuilds.isWorkerUp(db))) {
      throw new PanelError('unavailable', 'The worker is not running, which would do it')
    }
    if (await isPaused(db, 'account/apply')) {
      const words = 'account/apply is paused; `panel jobs resume account/apply` ends that'
      throw new PanelError('unavailable', words)
    }
    const waiting = new Map<string, string>()
    for (const account of accounts) {
      const begun = await rebuilds.begin(db, account)
      if (begun !== undefined) waiting.set(begun.operation, begun.username)
    }
    const failed: { username: string; error: string }[] = []
    const count = waiting.size
    while (waiting.size > 0) {
      for (const { operation, error } of await rebuilds.listEnded(db, [...waiting.keys()])) {
        const username = waiting.get(operation) ?? ''
        waiting.delete(operation)
        if (error !== null) failed.push({ username, error })
      }
      if (waiting.size > 0) await sleep(lookMs)
    }
    const lines = failed.map(({ username, error }) => `${username}: ${error}\n`).join('')
    this.show({ rebuilt: count - failed.length, failed }, lines)
    this.tell(`${count - failed.length} accounts rebuilt, ${failed.length} failed`)
    return failed.length === 0 ? 0 : 1
  }
}

type Differing = { username: string; differences: Difference[] }

function inWords({ username, differences: all }: Differing): string {
  return all
    .map(one =>
      'sentence' in one
        ? `${username}: ${one.sentence}\n`
        : `${username}: ${one.path}\n${changedLines(one.found, one.expected)}`,
    )
    .join('')
}

// A few lines at most differ, and none is there twice that matters.
function changedLines(found: string | undefined, expected: string): string {
  const [before, after] = [linesOf(found ?? ''), linesOf(expected)]
  const gone = before.filter(line => !after.includes(line)).map(line => `- ${line}\n`)
  const fresh = after.filter(line => !before.includes(line)).map(line => `+ ${line}\n`)
  return [...gone, ...fresh].join('')
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line !== '')
