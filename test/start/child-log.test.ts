import type { ChildProcess } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { ChildLog } from '../../src/start/child-log.ts'
import { eventually, scratch } from '../support/scratch.ts'

const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024)

t.test('a log that cannot be written costs its lines and nothing else', async t => {
  const folder = join(scratch(t), 'log')
  const reported: string[] = []
  const log = new ChildLog(join(folder, 'api.log'), sentence => reported.push(sentence))
  t.teardown(() => log.close())
  const stdout = new PassThrough()
  log.follow({ stdout, stderr: null } as unknown as ChildProcess)
  stdout.write(megabytes(17))
  await eventually('it is written', () => {
    return readFileSync(join(folder, 'api.log')).length > 16 * 1024 * 1024
  })

  // The next line needs a new file, which can't be opened.
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  stdout.write('one\n')
  stdout.write('two\n')
  await eventually('it is reported', () => reported.length > 0)
  t.match(reported, [/api\.log cannot be written/])
  t.equal(reported.length, 1, 'once')

  rmSync(folder)
  stdout.write('three\n')
  await eventually('it goes on', () => {
    return readFileSync(join(folder, 'api.log'), 'utf8').includes('three')
  })
})
