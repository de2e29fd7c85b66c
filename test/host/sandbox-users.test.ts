import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { sftpGroup } from '../../src/host/access/sftp.ts'
import { listSftpUsers } from '../../src/host/accounts/leftovers.ts'
import { sandboxUsers } from '../../src/host/sandbox/users.ts'

const passwordHash = '$6$salt$hash'
const alice = { username: 'alice', uid: 20_001, passwordHash }

function database(t: Test, files: Record<string, string> = {}) {
  const root = t.testdir({ etc: files })
  const read = (name: string) => readFileSync(`${root}/etc/${name}`, 'utf8')
  return { root, read, users: sandboxUsers(path => root + path) }
}

t.test('a new user is locked until it is unlocked', async t => {
  const { users, read } = database(t)
  await users.ensure(alice, 'sftp')
  t.equal(read('passwd'), 'alice:x:20001:20001::/home/alice:/usr/sbin/nologin\n')
  t.equal(read('group'), 'alice:x:20001:\n')
  t.equal(read('shadow'), 'alice:!::0:99999:7:::\n')
  await users.ensure(alice, 'sftp')
  t.equal(read('shadow'), 'alice:!::0:99999:7:::\n')
  await users.unlock(alice)
  await users.unlock(alice)
  t.equal(read('shadow'), 'alice:$6$salt$hash::0:99999:7:::\n')
  await users.lock(alice)
  await users.lock(alice)
  t.equal(read('shadow'), 'alice:!$6$salt$hash::0:99999:7::1:\n')
  await users.ensure({ ...alice, passwordHash: '$6$salt$other' }, 'sftp')
  t.equal(read('shadow'), 'alice:!$6$salt$other::0:99999:7::1:\n')
})

t.test('a new user belongs to a group, if there is one, and loses it by hand only', async t => {
  const { users, read } = database(t, { group: 'sftp:x:5:bob\n' })
  await users.ensure(alice, 'sftp')
  t.match(read('group'), /^sftp:x:5:bob,alice\n/)
  await users.removeFromGroup(alice, 'sftp')
  await users.ensure(alice, 'sftp')
  t.match(read('group'), /^sftp:x:5:bob\n/)
})

t.test('the lines of others keep their places', async t => {
  const others = 'al:x:1:1:::\nalice2:x:3:3:::\n'
  const { users, read } = database(t, { passwd: others, group: 'all:x:5:bob,alice2\n' })
  await users.ensure({ ...alice, username: 'zoe', uid: 20_002 }, 'sftp')
  await users.ensure(alice, 'sftp')
  await users.ensureGroup('sftp')
  await users.join(alice, 'all')
  await users.join(alice, 'all')
  t.match(read('group'), 'all:x:5:bob,alice2,alice\n')
  t.match(read('passwd'), /^al:.*\nalice2:.*\nzoe:.*\nalice:.*\n$/)
  await users.remove(alice)
  await users.remove(alice)
  t.equal(read('group'), 'all:x:5:bob,alice2\nzoe:x:20002:\nsftp:x:990:\n')
  t.match(read('passwd'), /^al:.*\nalice2:.*\nzoe:.*\n$/)
  t.match(read('shadow'), /^zoe:.*\n$/)
})

t.test('another user’s name is refused and left alone', async t => {
  const passwd = 'alice:x:1000:1000:::\n'
  const { users, read } = database(t, { passwd, shadow: 'alice:*:::::::\n', group: 'web:x:9:\n' })
  await t.rejects(users.ensure(alice, 'sftp'), { code: 'username_taken' })
  await t.rejects(users.ensure({ ...alice, username: 'web' }, 'sftp'), { code: 'username_taken' })
  await users.lock(alice)
  await users.unlock(alice)
  await users.remove(alice)
  t.equal(read('passwd'), passwd)
  t.equal(read('shadow'), 'alice:*:::::::\n')
  t.equal(read('group'), 'web:x:9:\n')
})

t.test('users added by two processes at the same time are all there', async t => {
  const { root, users, read } = database(t)
  const second = sandboxUsers(path => root + path)
  const all = Array.from({ length: 40 }, (_, index) => ({
    username: `user${index}`,
    uid: 20_100 + index,
    passwordHash,
  }))
  await Promise.all(all.map((user, index) => (index % 2 ? users : second).ensure(user, 'sftp')))
  for (const file of ['passwd', 'group', 'shadow']) {
    t.equal(read(file).trim().split('\n').length, 40, file)
  }
})

t.test('an edit whose process was killed holds up the next for two seconds at most', async t => {
  const { root, users, read } = database(t)
  const fresh = `${root}/etc/passwd.new`
  writeFileSync(fresh, 'half')
  utimesSync(fresh, new Date(), new Date(Date.now() - 3_000))
  await users.ensure(alice, 'sftp')
  t.match(read('passwd'), 'alice:x:20001')
})

t.test('the panel’s users are listed by one look at each file, however many they are', async t => {
  const names = Array.from({ length: 50 }, (_, number) => `user${number}`)
  const { root } = database(t, {
    passwd: names
      .slice(1)
      .map((name, number) => `${name}:x:${number}:5::/:/\n`)
      .join(''),
    group: `${sftpGroup}:x:5:${names.join()}\n`,
  })
  const asked: string[] = []
  const path = (file: string) => {
    asked.push(file)
    return root + file
  }
  const users = listSftpUsers({ path })
  t.equal(users.length, 50)
  t.strictSame(
    users.filter(({ isUser }) => !isUser),
    [{ name: 'user0', group: sftpGroup, isUser: false }],
  )
  t.equal(asked.length, new Set(asked).size)
})
