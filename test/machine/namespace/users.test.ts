import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { fieldsOf } from '../../../src/host/accounts/user-database.ts'
import type { User } from '../../../src/host/contract.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import { sftpGroup } from '../../../src/host/access/sftp.ts'
import { run } from '../machine.ts'

// The machine's own user database, under several operations at once.

/** The number of lines in each call of `chpasswd`. */
let calls: number[] = []
/** The input of `usermod`. */
let corrections: string[] = []
let before = async (): Promise<unknown> => undefined
/** The number of its calls that hang. */
let hanging = 0

const machine = openMachine({
  kind: 'linux',
  root: '/',
  runTool: plain => async (command, args, options) => {
    if (command === 'chpasswd') {
      calls.push(String(options?.stdin).split('\n').length - 1)
      await before()
      if (hanging-- > 0) return plain('sleep', ['60'], { timeoutMs: 50 })
    }
    if (command === 'usermod') corrections.push(args.join(' '))
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
const entryOf = ({ username }: User) => fieldsOf(readFileSync('/etc/passwd', 'utf8'), username)
const passwordOf = ({ username }: User) =>
  fieldsOf(readFileSync('/etc/shadow', 'utf8'), username)?.[1]

async function make(...names: string[]): Promise<User[]> {
  const users = names.map(userOf)
  for (const user of users) await machine.users.ensure(user, sftpGroup)
  calls = []
  return users
}

t.test('a system user whose useradd was killed between its files is made whole', async t => {
  const name = 'panel-half'
  await machine.users.ensureSystemUser(name)
  const lineOf = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .find(line => line.startsWith(`${name}:`))
  const group = lineOf('/etc/group')
  t.ok(group)
  const others = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .filter(line => line !== group)
  writeFileSync('/etc/group', others.join('\n'))
  await machine.users.ensureSystemUser(name)
  await machine.users.ensureSystemUser(name)
  t.equal(lineOf('/etc/group'), group)
  await run('userdel', [name])
})

t.test('passwords that come together are set by one process', async t => {
  const users = await make('alice', 'bob', 'carol')
  await Promise.all(users.map(user => machine.users.unlock(user)))
  t.strictSame(calls, [3])
  t.strictSame(users.map(passwordOf), [passwordHash, passwordHash, passwordHash])
  for (const user of users) await machine.users.remove(user)
})

t.test('a chpasswd that hangs once fails no user, and twice all of them', async t => {
  const users = await make('alice', 'bob', 'carol')
  const unlock = () => Promise.allSettled(users.map(user => machine.users.unlock(user)))
  hanging = 2
  const late = { status: 'rejected', reason: /did not end within 50 ms/ }
  t.match(await unlock(), [late, late, late])
  t.strictSame(calls, [3, 1])
  hanging = 1
  t.match(
    (await unlock()).map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled'],
  )
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

t.test('shell and home are put right while the user has processes, and nothing moves', async t => {
  const user = userOf('dave', 3)
  await machine.users.ensure(user, sftpGroup)
  const before = entryOf(user)
  t.strictSame(before?.slice(5), ['/home/dave', '/usr/sbin/nologin'])
  mkdirSync('/srv/dave')
  await run('groupadd', ['-r', 'friends'])
  const own = spawn('sleep', ['600'], { uid: user.uid, gid: user.uid })
  t.teardown(() => own.kill())
  for (const [change, fewest] of [
    [['-s', '/bin/bash'], '-s /usr/sbin/nologin -- dave'],
    [['-P', '/.', '-d', '/srv/dave'], '-P /. -d /home/dave -- dave'],
    [
      ['-P', '/.', '-d', '/srv/dave', '-s', '/bin/sh', '-a', '-G', 'friends'],
      '-P /. -d /home/dave -s /usr/sbin/nologin -- dave',
    ],
  ] as const) {
    t.equal((await run('usermod', [...change, 'dave'])).code, 0)
    t.notSame(entryOf(user), before)
    corrections = []
    await machine.users.ensure(user, sftpGroup)
    t.strictSame(entryOf(user), before)
    await machine.users.ensure(user, sftpGroup)
    t.strictSame(corrections, [fewest], 'what agrees starts no process')
  }
  t.ok(existsSync('/srv/dave'), 'no folder was moved')
  t.notOk(existsSync('/home/dave'))
  t.match((await run('id', ['-nG', 'dave'])).stdout, /^dave panel-sftp friends$/m)
})

t.test('another user’s entry by the same name stays as it is', async t => {
  await run('useradd', ['-M', '-u', '15000', '-s', '/bin/bash', '-d', '/srv', 'erin'])
  const erin = userOf('erin', 4)
  const before = entryOf(erin)
  corrections = []
  await t.rejects(machine.users.ensure(erin, sftpGroup), { code: 'username_taken' })
  t.strictSame([entryOf(erin), corrections], [before, []])
})
