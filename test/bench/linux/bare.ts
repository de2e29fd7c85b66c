import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import type { Account, Maker } from './machine.ts'

const script = join(import.meta.dirname, 'bare.sh')

/** The floor: the bare tools, with PHP masters of the accounts' own or one that they share. */
export async function openBare(masters: string): Promise<Maker> {
  // The same units, configuration of nginx and beginning of a website.
  await prepare(openMachine({ kind: 'linux', root: '/' }))
  const run = async (verb: string, account: Account, reload = 'yes') => {
    const { username, uid, domain, password } = account
    const child = spawn(script, [verb, username, String(uid), domain], {
      env: { PATH: process.env['PATH'], RELOAD: reload },
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${password}\n`)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`The bare tools ended with ${code}`)
  }
  const make = (account: Account, reload?: string) => run(`create-${masters}`, account, reload)
  return {
    make,
    change: run,
    async makeOthers(accounts) {
      for (const account of accounts.slice(1)) await make(account, 'no')
      for (const account of accounts.slice(0, 1)) await make(account)
    },
  }
}
