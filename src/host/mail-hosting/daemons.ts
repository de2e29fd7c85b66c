import { copyFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine, MachinePart } from '../contract.ts'
import { pidOf } from '../mail-server/processes.ts'
import { CommandError } from '../tools/run.ts'

// Calls of the programs that read the look-ups.

export type MailPrograms = {
  /** Compiles a map for Postfix, while it reads the former one. */
  compile(path: string): Promise<void>
  /** Has Postfix look the domains up again; one that is down does at its start. */
  forgetDomains(): Promise<void>
  /**
   * Waits until Dovecot knows a mailbox, so that no mail for it is refused; a Dovecot that is down
   * will know it when it starts.
   */
  waitFor(address: string): Promise<void>
  /** Waits until no login is checked against the previous list: Dovecot looks once a second. */
  waitForLists(): Promise<void>
  /** Ends the connections of these mailboxes; `*@example.com` names all of a domain. */
  kick(masks: readonly string[]): Promise<void>
}

// sysexits(3): an unknown user; no connection to end.
const [exitNoUser, exitNoHost] = [67, 68]
// Dovecot reads a file again whose time, in seconds, has changed.
const waitMs = 3_000
const pauseMs = 20

/** The programs of the machine; in a sandbox none, and no daemon reads anything. */
export const mailPrograms: MachinePart<MailPrograms> = {
  linux: machine => linuxPrograms(machine),
  sandbox: () => ({
    compile: async path => copyFileSync(path, `${path}.lmdb`),
    forgetDomains: async () => {},
    waitFor: async () => {},
    waitForLists: async () => {},
    kick: async () => {},
  }),
}

function linuxPrograms(machine: Machine): MailPrograms {
  const { run } = machine
  const isUp = () => pidOf(machine, 'dovecot') !== undefined
  const isPostfixUp = () => pidOf(machine, 'postfix') !== undefined
  return {
    compile: async file => void (await run('postmap', [`lmdb:${file}`])),
    async forgetDomains() {
      if (!isPostfixUp()) return
      try {
        await run('postfix', ['reload'])
      } catch (error) {
        if (isPostfixUp()) throw error
      }
    },
    async waitFor(address) {
      const until = performance.now() + waitMs
      while (isUp()) {
        try {
          return void (await run('doveadm', ['user', address]))
        } catch (error) {
          const isUnknown = error instanceof CommandError && error.exitCode === exitNoUser
          // It stops, or starts, at this moment.
          if (!isUnknown && !isUp()) return
          if (performance.now() > until) throw error
        }
        await sleep(pauseMs)
      }
    },
    async waitForLists() {
      if (isUp()) await sleep(1_000 - (Date.now() % 1_000) + pauseMs)
    },
    async kick(masks) {
      for (const mask of masks) {
        if (!isUp()) return
        try {
          await run('doveadm', ['kick', mask], { acceptedCodes: [exitNoUser, exitNoHost] })
        } catch (error) {
          if (isUp()) throw error
        }
      }
    },
  }
}
