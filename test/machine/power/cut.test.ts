import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { isFull } from '../../support/full.ts'
import { until } from '../../support/until.ts'

// The power goes while accounts are made, changed and deleted. Every answer until then holds when
// the machine is up again, in its rows and on the machine; operations in progress end.

const root = join(import.meta.dirname, '../../..')
const scratch = mkdtempSync(join(process.env['PANEL_TEST_SCRATCH'] ?? '', 'power-'))
const disks = join(scratch, 'disks')
const journal = join(scratch, 'journal')
mkdirSync(disks)

type Line = { username: string; asked?: string; reported?: string }
const lines = (): Line[] =>
  existsSync(journal)
    ? readFileSync(journal, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as Line)
    : []
const reported = () => lines().filter(line => line.reported !== undefined).length

function boot(mode: 'live' | 'look'): ChildProcess {
  return spawn(
    join(root, 'test/machine/uml.sh'),
    [
      ...['--disks', disks, '--read-only', root, '--read-write', scratch],
      ...[process.execPath, join(root, 'test/machine/fixtures/powered.ts'), mode, journal],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
}

const pages: Record<string, number> = { active: 200, suspended: 503, gone: 421 }

for (const answers of isFull ? [6, 14, 9, 21, 4] : [10]) {
  t.test(`answers hold after a power cut behind ${answers} answers`, async t => {
    const machine = boot('live')
    const complaints = text(machine.stderr!)
    machine.stdout!.resume()
    const before = reported()
    await until(async () => {
      if (machine.exitCode !== null) throw new Error(await complaints)
      return reported() >= before + answers
    }, 240_000)
    // Somewhere within the operation that follows.
    await sleep(Math.random() * 500)
    machine.kill()
    await once(machine, 'close')

    const again = boot('look')
    const [output, failed] = await Promise.all([text(again.stdout!), text(again.stderr!)])
    const [, found] = /^found: (.*)$/m.exec(output) ?? []
    if (found === undefined) throw new Error(`${output}\n${failed}`)
    const { accounts, compared } = JSON.parse(found) as {
      accounts: { username: string; state: string; page: number }[]
      compared: {
        shared: unknown[]
        accounts: { username: string; differences: { sentence: string }[] }[]
      }
    }
    const last = new Map(lines().map(line => [line.username, line]))
    for (const { username, state, page } of accounts) {
      const { asked, reported } = last.get(username)!
      if (reported !== undefined) t.equal(state, reported, username)
      else t.comment(`${username} was to become ${asked} and is ${state}`)
      t.equal(page, pages[state], `the page of ${username}, ${state}`)
    }
    // Without systemd the limits of memory and CPU are the kernel's alone, and gone with it.
    const differing = compared.accounts.flatMap(({ username, differences }) =>
      differences
        .filter(({ sentence }) => sentence !== 'the limits differ')
        .map(({ sentence }) => `${username}: ${sentence}`),
    )
    t.strictSame([...compared.shared, ...differing], [], 'the machine agrees')
  })
}
