import { readFileSync } from 'node:fs'
import t from 'tap'
import { fieldsOf, type User } from '../../../src/host/users.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/prepare.ts'
import { sftpGroup } from '../../../src/host/sftp.ts'
import { run } from '../machine.ts'

// The machine's own user database, under several operations at once.

/** How many lines each call of `chpasswd` had. */
let calls: number[] = []
let before = async (): Promise<unknown> => undefined

const machine = openMachine({
  kind: 'linux',
  root: '/',
  runTool: plain => async (command, args, options) => {
    if (command === 'chpasswd') {
      calls.push(String(options?.stdin).split('\n').length - 1)
      await before()
    }
    return plain(command, args, options)
  },
})
await prepare(machine)

const passwordHash = (await run('openssl', ['passwd', '-6', 'secret'])).stdout.trim()
const userOf = (username: string, index: number): User => ({
  username,
  uid: 20_001 + index,
  passwordHash,
})
const passwordOf = ({ username }: User) =>
  fieldsOf(readFileSync('/etc/shadow', 'utf8'), username)?.[1]

async function make(...names: string[]): Promise<User[]> {
  const users = names.map(userOf)
  for (const user of users) await machine.users.ensure(user, sftpGroup)
  calls = []
  return users
}

t.test('passwords that come together are set by one process', async t => {
  const users = await make('alice', 'bob', 'carol')
  await Promise.all(users.map(user => machine.users.unlock(user)))
  t.strictSame(calls, [3])
  t.strictSame(users.map(passwordOf), [passwordHash, passwordHash, passwordHash])
  for (const user of users) await machine.users.remove(user)
})

t.test('the one whose user is gone fails alone', async t => {
  const users = await make('alice', 'bob', 'carol')
  before = async () => {
    before = async () => undefined
    await run('userdel', ['bob'])
  }
  const [alice, bob, carol] = await Promise.allSettled(
    users.map(user => machine.users.unlock(user)),
  )
  t.strictSame([alice?.status, carol?.status], ['fulfilled', 'fulfilled'])
  t.match(bob, { status: 'rejected', reason: /'bob' does not exist/ })
  t.strictSame(calls, [3, 1, 1, 1])
  t.strictSame(users.map(passwordOf), [passwordHash, undefined, passwordHash])
})
