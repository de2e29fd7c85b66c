import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { quota } from '../../src/host/accounts/quota.ts'
import { notAnswering } from '../../src/host/mariadb/client.ts'
import { steps } from '../../src/host/databases/converge.ts'
import { importDatabase } from '../../src/host/databases/import.ts'
import type { Found, FoundUser } from '../../src/host/databases/reading.ts'
import * as sql from '../../src/host/databases/statements.ts'
import { uploadsPath } from '../../src/model/server/host.ts'
import { toHostAccount } from '../../src/model/accounts/host-account.ts'
import { toHostDatabases, type HostDatabases } from '../../src/model/databases/host-databases.ts'
import { hashForMariaDb, makePassword } from '../../src/model/databases/database-passwords.ts'
import { suffix } from '../../src/model/databases/databases.ts'
import { alice, sandbox } from '../support/host/sandbox.ts'

// The panel's statements to MariaDB about an account's databases; the machine suite runs them.

const hash = hashForMariaDb('secret')
const shop = { id: '7', name: 'alice_shop', isNew: false }
const user = {
  ...{ name: 'alice_shop', hash, isNew: false, isSet: true },
  grants: [{ database: 'alice_shop', rights: 'all' as const }],
}
const unknown = { databases: [], users: [] }
const own: HostDatabases = { databases: [shop], users: [user], deleting: unknown }
const has: FoundUser = {
  ...{ hash, isLocked: false, connections: 20 },
  grants: new Map([['alice\\_shop', new Set<string>(sql.rightsOf.all)]]),
}
const found: Found = {
  databases: new Map([['alice_shop', '']]),
  users: new Map([
    ['alice_shop', has],
    ['panel_7', { ...has, isLocked: true }],
  ]),
}
const nothing: Found = { databases: new Map(), users: new Map() }
const reported = (databases: HostDatabases, seen: Found, isLocked = false) =>
  steps({ databases, connections: 20, isLocked }, seen).map(step =>
    'drops' in step ? `drops ${step.drops}` : step.statement,
  )

t.test('a database that agrees is left as it is', async t => {
  t.strictSame(reported(own, found), [])
})

t.test('a user comes after its database, and before its rights, which reach no other', async t => {
  const [database, made, internal, granted, ...others] = reported(own, nothing)
  t.match(database, /^CREATE DATABASE `alice_shop` .* COMMENT 'panel 7'$/)
  t.match(made, /^CREATE USER 'alice_shop'@'localhost' IDENTIFIED VIA mysql_native_password USING/)
  t.match(internal, /^CREATE USER IF NOT EXISTS 'panel_7'@'localhost' .* ACCOUNT LOCK$/)
  const both = / ON `alice\\_shop`\.\* TO 'alice_shop'@'localhost', 'panel_7'@'localhost'$/
  t.match(granted, both)
  t.notMatch(granted, /ALL|EVENT|GRANT OPTION|\*\.\*/)
  t.strictSame(others, [])
})

t.test('an open Adminer session stays so, and nothing else lets its user in', async t => {
  const open: HostDatabases = { ...own, databases: [{ ...shop, openHash: hash }] }
  const lock = `ALTER USER 'panel_7'@'localhost' ACCOUNT LOCK`
  const kill = `KILL HARD CONNECTION USER 'panel_7'@'localhost'`
  const made = reported(open, { ...found, users: new Map([['alice_shop', has]]) })
  t.match(made[0], /^CREATE USER IF NOT EXISTS 'panel_7'@'localhost' .* ACCOUNT LOCK$/)
  t.match(made[1], /^GRANT .* ON `alice\\_shop`\.\* TO 'panel_7'@'localhost'$/)
  t.match(made[2], /^ALTER USER 'panel_7'@'localhost' IDENTIFIED /)
  t.strictSame(made.slice(3), [`ALTER USER 'panel_7'@'localhost' ACCOUNT UNLOCK`])
  const by = (internal: FoundUser): Found => ({
    ...found,
    users: new Map([...found.users, ['panel_7', internal]]),
  })
  t.strictSame(reported(open, by(has)), [])
  t.strictSame(reported(own, by(has)), [lock, kill], 'it is over')
  t.strictSame(reported(open, by(has), true).slice(-2), [lock, kill], 'the account is suspended')
  const other = { ...has, hash: hashForMariaDb('other') }
  t.strictSame(reported(open, by(other)).slice(0, 2), [lock, kill], 'another had it open')
  t.strictSame(reported(own, by({ ...has, isLocked: true })), [])
})

t.test('the panel’s own user of a database is made again where it was lost', async t => {
  const lost = { ...found, users: new Map([['alice_shop', has]]) }
  const [made, granted, ...others] = reported(own, lost)
  t.match(made, /^CREATE USER IF NOT EXISTS 'panel_7'@'localhost' .* ACCOUNT LOCK$/)
  t.match(granted, / ON `alice\\_shop`\.\* TO 'panel_7'@'localhost'$/)
  t.strictSame(others, [])
})

t.test('a suspended user is locked, and then its connections end', async t => {
  t.strictSame(reported(own, found, true), [
    `ALTER USER 'alice_shop'@'localhost' ACCOUNT LOCK`,
    `KILL HARD CONNECTION USER 'alice_shop'@'localhost'`,
  ])
})

t.test('an unmanaged database is refused, and survives the undo of the own one', async t => {
  const fresh = { ...own, databases: [{ ...shop, isNew: true }] }
  t.throws(() => reported(fresh, found), { code: 'database_taken' })
  const mine = { ...found, databases: new Map([['alice_shop', 'panel 7']]) }
  t.strictSame(reported(fresh, mine), [], 'a second run knows its own')
  const newUser = { ...user, isNew: true, hash: hashForMariaDb('other') }
  t.throws(() => reported({ ...own, users: [newUser] }, found), { code: 'database_taken' })
  const deleting = { databases: [{ ...shop, isNew: true }], users: [newUser] }
  t.strictSame(reported({ ...unknown, deleting }, found), [])
  const gone = reported({ ...unknown, deleting: { databases: [shop], users: [user] } }, found)
  t.strictSame(
    gone.filter(one => one.includes('DROP') || one.startsWith('drops')),
    [
      `DROP USER IF EXISTS 'alice_shop'@'localhost'`,
      `DROP USER IF EXISTS 'panel_7'@'localhost'`,
      'drops alice_shop',
    ],
  )
})

t.test('a password is set once, and another one that its owner has set stays', async t => {
  const other = { ...found, users: new Map(found.users) }
  other.users.set('alice_shop', { ...has, hash: '*00' })
  t.strictSame(reported(own, other), [])
  const due = reported({ ...own, users: [{ ...user, isSet: false }] }, other)
  t.match(due, [/IDENTIFIED VIA/, /^KILL HARD CONNECTION/])
})

t.test('hashes are MariaDB’s own, and passwords are long and random', async t => {
  t.equal(hashForMariaDb('secret'), '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7')
  const made = new Set(Array.from({ length: 100 }, makePassword))
  t.equal(made.size, 100)
  for (const password of made) t.match(password, /^[A-Za-z0-9]{24}$/)
})

t.test('a name outside the account never becomes SQL', async t => {
  const rows = (name: string) => ({
    databases: [{ id: '1', name, isNew: false, desired: 'present' }],
    users: [],
  })
  t.equal(toHostDatabases(rows('alice_shop'), 'alice').databases.length, 1)
  for (const [name, username] of [
    ['bob_shop', 'alice'],
    ['alice_b_shop', 'alice'],
    ['alice_shop', 'alice_b'],
    ['mysql', 'alice'],
    ['alice_', 'alice'],
    ['alice_Shop', 'alice'],
  ] as const) {
    t.throws(() => toHostDatabases(rows(name), username), name)
  }
  const isSafe = (name: string) => /^[a-z0-9_-]+$/.test(name)
  fc.assert(
    fc.property(fc.string(), text => {
      const name = `alice_${text}`
      const isTaken = suffix.safeParse(text).success
      try {
        return toHostDatabases(rows(name), 'alice') !== undefined && isTaken && isSafe(name)
      } catch {
        return !isTaken
      }
    }),
  )
})

t.test(
  'in a full account what would grow is taken away, and who is connected is ended',
  async t => {
    const full = { ...own, databases: [{ ...shop, isFrozen: true }] }
    const [revoked, granted, killed] = reported(full, found)
    t.match(revoked, /^REVOKE ALL PRIVILEGES ON `alice\\_shop`\.\* FROM/)
    t.match(granted, /^GRANT SELECT, DELETE, DROP, /)
    t.notMatch(granted, /INSERT|UPDATE|CREATE|INDEX|TRIGGER/)
    t.match(killed, /^KILL HARD/)
  },
)

t.test('the home’s limit is smaller by what databases take', async t => {
  const { machine } = await sandbox(t)
  for (const [reservedMb, left] of [
    [0, 100],
    [30, 70],
    [100, 1],
    [999, 1],
  ] as const) {
    await quota.ensure?.(machine, { ...alice, databases: { ...own, reservedMb } })
    const limits = (await machine.quota.openReader())?.(alice.uid).split(' ')
    t.equal(Number(limits?.[0]), 1024 * left)
  }
})

t.test('a dump is a file, not what another user has put in its place', async t => {
  const { machine } = await sandbox(t)
  const folder = machine.path(uploadsPath)
  mkdirSync(folder, { recursive: true })
  const id = 'a'.repeat(32)
  const path = `${folder}/${id}`
  const { signal } = new AbortController()
  const begin = () => importDatabase(machine, alice, { database: shop, source: { id }, signal })
  const gone = { code: 'invalid', message: /The dump no longer exists/ }
  await t.rejects(begin(), gone)
  symlinkSync('/etc/hostname', path)
  await t.rejects(begin(), gone, 'a link')
  rmSync(path)
  mkdirSync(path)
  await t.rejects(begin(), gone, 'a folder')
  rmSync(path, { recursive: true })
  execFileSync('mkfifo', [path])
  await t.rejects(begin(), gone, 'a pipe, whose writer is not waited for')
})

t.test('an account without any has no part of it', async t => {
  const { passwordHash, limits, sites, deleting: _, ...record } = alice
  const row = { ...record, state: 'active' as const, package: limits, sites, sftpKeys: [] }
  t.notOk('databases' in toHostAccount(row, { passwordHash, parts: { databases: null } }))
  t.match(notAnswering, /^MariaDB does not answer/)
})
