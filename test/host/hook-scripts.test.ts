import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { hooksOf, listScripts } from '../../src/host/hooks/hook-scripts.ts'
import { install } from '../support/hooks/hooks.ts'
import { scratch } from '../support/scratch.ts'

// Real owners, modes and links. Files of another user need root.

const isRoot = process.getuid!() === 0
const needsRoot = { skip: !isRoot && 'needs root' }
const otherUser = 65_534
const event = 'account.created'

function open(t: Test) {
  const root = scratch(t)
  const hooks = join(root, 'hooks')
  const folder = join(hooks, `${event}.d`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  const { findScripts } = hooksOf({ folder: hooks })
  const found = () => [...findScripts(event)]
  return {
    root,
    hooks,
    folder,
    found,
    script: (name = 'script') => install(join(folder, name), '#!/bin/sh\n'),
    refusals: () => found().map(({ refusal }) => refusal),
  }
}

t.test('without a folder, and in an empty one, there are no scripts', async t => {
  const { hooks, folder, found } = open(t)
  t.strictSame(found(), [])
  fs.rmdirSync(folder)
  t.strictSame(found(), [])
  fs.rmdirSync(hooks)
  t.strictSame(found(), [])
})

t.test('scripts are found in the byte order of their names, whatever these are', async t => {
  const { script, found } = open(t)
  // As UTF-16, U+1F600 would come before U+FF01.
  const names = ['-rf', '.hidden', '10-a b', '2', 'B', 'a\nb', 'é', '\uff01', '\u{1f600}']
  for (const name of names.toReversed()) script(name)
  t.strictSame(
    found().map(({ name, refusal }) => [name, refusal]),
    names.map(name => [name, null]),
  )
})

t.test('a name that is no text is refused, and keeps no other from running', async t => {
  const { script, folder, found } = open(t)
  script('z')
  for (const byte of ['\xe9', '\xe8']) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(byte, 'latin1')])
    fs.writeFileSync(path, '', { mode: 0o755 })
  }
  t.match(found(), [
    { name: 'z', refusal: null },
    { name: /e8/, refusal: /\(e8\) is not UTF-8/ },
    { name: /e9/, refusal: /\(e9\) is not UTF-8/ },
  ])
})

t.test('a file that is not executable is ignored, and so is its mode', async t => {
  const { root, hooks, script, folder, found } = open(t)
  const other = join(root, 'other')
  fs.mkdirSync(other)
  fs.writeFileSync(join(other, 'text'), '')
  // By what it is, and by whether it is ignored.
  const things: [name: string, make: (path: string) => void][] = [
    ['README', path => fs.writeFileSync(path, 'Hello', { mode: 0o644 })],
    ['empty', path => fs.writeFileSync(path, '', { mode: 0o000 })],
    ['folder', path => fs.mkdirSync(path)],
    ['group', path => (fs.writeFileSync(path, ''), fs.chmodSync(path, 0o664))],
    ['link-to-folder', path => fs.symlinkSync(other, path)],
    ['link-to-text', path => fs.symlinkSync(join(other, 'text'), path)],
    ['others', path => (fs.writeFileSync(path, ''), fs.chmodSync(path, 0o666))],
    ['pipe', path => void spawnSync('mkfifo', ['-m', '755', path])],
    ['setuid', path => (fs.writeFileSync(path, ''), fs.chmodSync(path, 0o4644))],
    ['switched-off', path => (install(path, '#!/bin/sh\n'), fs.chmodSync(path, 0o644))],
  ]
  for (const [name, make] of things) make(join(folder, name))
  fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xe9])]), 'no text')
  script('z')
  t.match(found(), [{ name: 'z', refusal: null }])
  const listed = listScripts(hooks)
  t.strictSame(
    listed.flatMap(({ name, isIgnored, refusal }) => (isIgnored ? [[name, refusal]] : [])),
    [...things.map(([name]) => [name, null]), [listed.at(-1)?.name, null]],
  )
  t.match(listed.at(-1)?.name, /\(e9\)/)
  fs.chmodSync(join(folder, 'others'), 0o777)
  t.match(found(), [{ refusal: /others may be written by others/ }, { name: 'z' }])
})

t.test('a device is ignored', needsRoot, async t => {
  const { folder, found } = open(t)
  spawnSync('mknod', ['-m', '755', join(folder, 'device'), 'c', '1', '3'])
  t.strictSame(found(), [])
})

t.test('a link that leads nowhere is refused', async t => {
  const { script, folder, refusals } = open(t)
  fs.chmodSync(script('a'), 0o644)
  fs.symlinkSync('nowhere', join(folder, 'd'))
  fs.symlinkSync('e', join(folder, 'e'))
  fs.symlinkSync('a/b', join(folder, 'f'))
  t.strictSame(refusals(), [
    `${folder}/nowhere does not exist`,
    `${folder}/e has too many links`,
    `${folder}/a/b cannot be read (ENOTDIR)`,
  ])
})

t.test('a file in the place of the folder is refused', async t => {
  const { hooks, folder, found } = open(t)
  fs.rmdirSync(folder)
  install(folder, '#!/bin/sh\n')
  t.match(found(), [{ name: '.', refusal: `${folder} is not a folder` }])
  fs.rmSync(hooks, { recursive: true })
  install(hooks, '')
  t.match(found(), [{ name: '.', refusal: `${folder} cannot be read (ENOTDIR)` }])
})

t.test('a file that others may write is refused', async t => {
  const { root, hooks, folder, script, found, refusals } = open(t)
  const path = script()
  const others = 'may be written by others'
  const group = 'may be written by its group'
  for (const [changed, mode, refusal] of [
    [path, 0o775, `${path} ${group}`],
    [path, 0o757, `${path} ${others}`],
    [path, 0o1777, `${path} ${others}`],
    [folder, 0o775, `${folder} ${group}`],
    [folder, 0o757, `${folder} ${others}`],
    // A folder in which others may add scripts is refused, although they can't change root's.
    [folder, 0o1777, `${folder} ${others}`],
    [hooks, 0o777, `${hooks} ${others}`],
    [root, 0o770, `${root} ${group}`],
    // Above the scripts' folder it is safe: root's files stay where they are.
    [hooks, 0o1777, null],
    [root, 0o1770, null],
  ] as const) {
    fs.chmodSync(changed, mode)
    t.strictSame(refusals(), [refusal], `${changed} ${mode.toString(8)}`)
    fs.chmodSync(changed, 0o755)
  }
  t.strictSame(found(), [{ name: 'script', path, refusal: null }])
})

t.test('a file that another user owns is refused', needsRoot, async t => {
  const { root, hooks, folder, script, refusals } = open(t)
  const path = script()
  for (const changed of [path, folder, hooks, root]) {
    fs.chownSync(changed, otherUser, 0)
    t.strictSame(refusals(), [`${changed} belongs to user ${otherUser}`])
    fs.chownSync(changed, 0, otherUser)
    t.strictSame(refusals(), [null], 'its group alone may do nothing')
    fs.chownSync(changed, 0, 0)
  }
  // A sticky folder is only as safe as its owner.
  fs.chownSync(hooks, otherUser, 0)
  fs.chmodSync(hooks, 0o1777)
  t.strictSame(refusals(), [`${hooks} belongs to user ${otherUser}`])
})

const hasAccessLists = spawnSync('setfacl', ['--version']).status === 0
const needsAccessLists = { skip: !hasAccessLists && 'needs setfacl' }

t.test('write access by an access list is seen', needsAccessLists, async t => {
  const { script, refusals } = open(t)
  const path = script()
  spawnSync('setfacl', ['-m', `u:${otherUser}:rwx`, path])
  t.strictSame(refusals(), [`${path} may be written by its group`])
})

t.test('a link is as safe as every step of its way', async t => {
  const { root, folder, found, refusals } = open(t)
  const other = join(root, 'other')
  const target = install(join(other, 'bin/target'), '#!/bin/sh\n')
  const link = join(folder, 'link')
  for (const way of [
    target,
    '../../other/bin/../bin/./target',
    `${folder}/../../other/bin/target`,
  ]) {
    fs.symlinkSync(way, link)
    t.strictSame(found(), [{ name: 'link', path: target, refusal: null }], way)
    fs.rmSync(link)
  }

  fs.symlinkSync(join(other, 'further'), link)
  fs.symlinkSync('bin/target', join(other, 'further'))
  t.strictSame(found(), [{ name: 'link', path: target, refusal: null }])
  for (const [changed, mode] of [
    [target, 0o775],
    [`${other}/bin`, 0o757],
    // The script's own folder, wherever it is.
    [`${other}/bin`, 0o1777],
    // Safe itself, but the second link lies in it.
    [other, 0o777],
  ] as const) {
    fs.chmodSync(changed, mode)
    t.match(refusals(), [new RegExp(`^${changed} may be written`)], `${changed} ${mode}`)
    fs.chmodSync(changed, 0o755)
  }
  fs.chmodSync(other, 0o1777)
  t.strictSame(refusals(), [null])
  if (!isRoot) return
  // The owner of a sticky folder may still change what is in it.
  fs.lchownSync(join(other, 'further'), otherUser, otherUser)
  t.strictSame(refusals(), [`${other}/further belongs to user ${otherUser}`])
})

t.test('the folder may be a link too', async t => {
  const { root, folder, found } = open(t)
  fs.rmdirSync(folder)
  const path = install(join(root, 'elsewhere/script'), '#!/bin/sh\n')
  fs.symlinkSync('../elsewhere', folder)
  t.strictSame(found(), [{ name: 'script', path, refusal: null }])
  fs.chmodSync(join(root, 'elsewhere'), 0o1777)
  t.match(found(), [{ name: '.', refusal: `${root}/elsewhere may be written by others` }])
  fs.rmSync(join(root, 'elsewhere'), { recursive: true })
  t.match(found(), [{ name: '.', refusal: `${root}/elsewhere does not exist` }])
})

t.test('a script that changes before its turn is checked as it is then', async t => {
  const { script, hooks } = open(t)
  script('a')
  const path = script('b')
  const found = hooksOf({ folder: hooks }).findScripts(event)[Symbol.iterator]()
  t.match(found.next().value, { name: 'a', refusal: null })
  fs.chmodSync(path, 0o777)
  t.match(found.next().value, { name: 'b', refusal: /may be written/ })
})
