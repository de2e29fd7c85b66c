import * as fs from 'node:fs'
import t from 'tap'
import {
  ensureFile,
  ensureFolder,
  readFile,
  removeFile,
  removeFolder,
} from '../../src/host/tools/files.ts'

const modeOf = (path: string) => (fs.lstatSync(path).mode & 0o7777).toString(8)

t.test('a file is written once and left alone while it agrees', async t => {
  const folder = t.testdir()
  const path = `${folder}/file`
  t.equal(await ensureFile(path, 'text', 0o640), true)
  t.equal(modeOf(path), '640')
  const { ino } = fs.statSync(path)
  t.equal(await ensureFile(path, 'text', 0o640), false)
  t.equal(fs.statSync(path).ino, ino)
  t.equal(await ensureFile(path, 'next', 0o640), true, 'other text of the same length')
  t.equal(await ensureFile(path, 'next', 0o666), true, 'another mode, whatever the umask')
  t.equal(modeOf(path), '666')
  t.equal(readFile(path), 'next')
  t.strictSame(fs.readdirSync(folder), ['file'])
})

t.test('a link is replaced and never followed', async t => {
  const folder = t.testdir({ target: 'kept' })
  fs.symlinkSync('target', `${folder}/file`)
  fs.symlinkSync('target', `${folder}/.file.new`)
  t.throws(() => readFile(`${folder}/file`), { code: 'ELOOP' })
  await ensureFile(`${folder}/file`, 'kept', 0o644)
  t.ok(fs.lstatSync(`${folder}/file`).isFile())
  t.equal(readFile(`${folder}/target`), 'kept')
  t.strictSame(fs.readdirSync(folder), ['file', 'target'])
})

t.test('leftovers of an interrupted write are no hindrance and go with the file', async t => {
  const folder = t.testdir({ '.file.new': 'hal' })
  await ensureFile(`${folder}/file`, 'half', 0o644)
  fs.writeFileSync(`${folder}/.file.new`, 'hal')
  removeFile(`${folder}/file`)
  t.strictSame(fs.readdirSync(folder), [])
  removeFile(`${folder}/file`)
})

t.test('a folder in the place of a file is an error and stays', async t => {
  const folder = t.testdir({ file: { kept: '' } })
  await t.rejects(ensureFile(`${folder}/file`, 'text', 0o644))
  t.ok(fs.existsSync(`${folder}/file/kept`))
})

t.test('a folder is made with its mode; a file or link in its place is refused', async t => {
  const folder = t.testdir({ file: '' })
  t.equal(ensureFolder(`${folder}/new`, 0o771), true)
  t.equal(modeOf(`${folder}/new`), '771')
  t.equal(ensureFolder(`${folder}/new`, 0o700), false)
  t.equal(modeOf(`${folder}/new`), '700')
  fs.symlinkSync('new', `${folder}/link`)
  t.throws(() => ensureFolder(`${folder}/link`, 0o777), /Not a folder/)
  t.throws(() => ensureFolder(`${folder}/file`, 0o777), /Not a folder/)
  t.equal(modeOf(`${folder}/new`), '700')
})

t.test('only an empty folder is removed', async t => {
  const folder = t.testdir({ full: { kept: '' }, empty: {} })
  for (const name of ['full', 'empty', 'missing']) removeFolder(`${folder}/${name}`)
  t.strictSame(fs.readdirSync(folder), ['full'])
})

t.test('a file is written whole, or the error says why', async t => {
  const folder = t.testdir({ a: 'old' })
  const write = (name: string) => ensureFile(`${folder}/${name}`, name, 0o600)
  for (const name of ['a', 'b']) {
    t.ok(await write(name))
    t.equal(readFile(`${folder}/${name}`), name)
  }
  await t.rejects(write('missing/c'), { code: 'ENOENT' })
})
