import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { writeWhole } from '../../src/cli/whole-file.ts'
import { inherited } from '../support/processes.ts'

t.test('a file that was half written is not there', async t => {
  const folder = t.testdir({})
  const path = join(folder, 'shop.sql')
  const half = function* () {
    yield 'create table'
    throw new Error('the connection went away')
  }
  await t.rejects(writeWhole(path, Readable.from(half())), { message: /went away/ })
  t.strictSame(readdirSync(folder), [])
  await writeWhole(path, Readable.from(['whole']))
  t.equal(readFileSync(path, 'utf8'), 'whole')
  t.equal(statSync(path).mode & 0o777, 0o600)
  await t.rejects(writeWhole(path, Readable.from(['other'])), { code: 'busy' })
  t.equal(readFileSync(path, 'utf8'), 'whole')
})

t.test('a disk that takes no more leaves nothing either', async t => {
  const folder = t.testdir({})
  const module = join(import.meta.dirname, '../../src/cli/whole-file.ts')
  const program = `
    import { writeWhole } from ${JSON.stringify(module)}
    import { Readable } from 'node:stream'
    const content = Readable.from([Buffer.alloc(5_000)])
    await writeWhole(${JSON.stringify(join(folder, 'shop.sql'))}, content).catch(
      error => console.log(error.message))`
  // As a full disk does: the kernel writes a part, and refuses the rest.
  const node = [process.execPath, '--input-type=module', '--eval', program]
  const output = execFileSync('prlimit', ['--fsize=1000', '--', ...node], { env: inherited })
  t.match(output.toString(), /shop\.sql cannot be written \(EFBIG\)/)
  t.strictSame(readdirSync(folder), [])
})
