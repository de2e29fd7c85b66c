import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { prepare } from '../../src/host/shared.ts'
import { makeMailFolders } from '../support/host/mail-folders.ts'
import { alice as plain, sandbox, straight, tree } from '../support/host/sandbox.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'

// An account's mail on a sandbox, interrupted and killed.

const mailbox = (localPart: string, letter: string, desired: 'present' | 'absent' = 'present') => ({
  ...{
    localPart,
    hash: `$2b$10$${letter.repeat(53)}`,
    quotaMb: 50,
    autoresponder: null,
    filters: [],
    desired,
  },
})
const domain = {
  ...{ domain: 'alice.example', isActive: true, catchAll: null, selector: 'p202611' },
  ...{ desired: 'present' as const, aliases: [] },
}
const withMail = (...mailboxes: ReturnType<typeof mailbox>[]): HostAccount => ({
  ...plain,
  mail: [{ ...domain, mailboxes }],
})
const alice = withMail(mailbox('info', 'a'), mailbox('sales', 'b'))
const states: HostAccount[] = [
  alice,
  withMail(mailbox('info', 'c'), mailbox('sales', 'b', 'absent')),
  { ...alice, desired: 'suspended' },
  { ...plain, mail: [{ ...domain, desired: 'absent', mailboxes: [] }] },
]

/** The files of the mail server, but keys, which are random, and writes that were interrupted. */
const filesIn = (root: string) =>
  Object.fromEntries(
    Object.entries(tree(root)).filter(
      ([name]) =>
        /panel-mail/.test(name) && !/dkim/.test(name) && !/[.](lmdb|new|next)$/.test(name),
    ),
  )

const part = ['mailboxes'] as const

t.test('killed at any moment, the next run ends in the same state', async t => {
  const { root, machine } = await sandbox(t)
  makeMailFolders(root)
  await apply(machine, alice, straight)
  const expected = filesIn(root)
  t.ok(Object.keys(expected).length > 8)
  for (let kill = 0; kill < 8; kill++) {
    const texts = states.map(state => JSON.stringify(state))
    const args = ['--input-type=module', '-e', program, root, ...texts]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await sleep(Math.random() * 60)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await prepare(machine)
    await apply(machine, alice, straight, part)
    t.strictSame(filesIn(root), expected)
  }
})

const address = (name: string): string =>
  JSON.stringify(join(import.meta.dirname, `../../src/host/${name}.ts`))

// A process in which mailboxes come and go until it is killed.
const program = `
  import { apply } from ${address('apply')}
  import { openMachine } from ${address('machine')}
  const [root, ...texts] = process.argv.slice(1)
  const machine = openMachine({ kind: 'sandbox', root })
  const accounts = texts.map(text => JSON.parse(text))
  console.log('ready')
  for (;;) for (const one of accounts) await apply(machine, one, (_, run) => run(), ['mailboxes'])`
