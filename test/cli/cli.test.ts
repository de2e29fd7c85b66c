import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { refusal } from '../../src/cli/panel-command.ts'
import { ConfigError } from '../../src/config.ts'
import { PanelError } from '../../src/errors.ts'
import { inherited } from '../support/processes.ts'
import { scratch } from '../support/scratch.ts'

const bin = join(import.meta.dirname, '../../bin/panel')

function panel(words: string[], environment = {}, node = process.execPath, program = bin) {
  return spawnSync(node, [program, ...words], {
    cwd: '/',
    encoding: 'utf8',
    env: { ...inherited, ...environment },
  })
}

t.test('explains its commands', t => {
  const list = panel(['--help'])
  t.equal(list.status, 0)
  t.match(list.stdout, /panel start/)
  const start = panel(['start', '--help'])
  t.equal(start.status, 0)
  t.match(start.stdout, /PANEL_STATE_DIR/)
  t.equal(start.stderr, '')
  t.match(panel(['--version']).stdout, /^\d+\.\d+\.\d+/)
  t.end()
})

t.test('answers wrong usage on standard error with 2', t => {
  for (const words of [['strat'], ['start', '--nonsense'], ['start', 'what']]) {
    const { status, stdout, stderr } = panel(words)
    t.equal(status, 2, words.join(' '))
    t.equal(stdout, '')
    t.match(stderr, /panel start|Unknown|Extraneous/)
  }
  t.end()
})

t.test('names a bad setting and ends with 2', t => {
  const { status, stdout, stderr } = panel(['start'], { PANEL_LISTEN: 'nowhere' })
  t.equal(status, 2)
  t.equal(stdout, '')
  t.equal(stderr, 'panel: PANEL_LISTEN must be an address and port, such as 127.0.0.1:8080\n')
  t.end()
})

t.test('runs through a link and from any folder', t => {
  const link = join(scratch(t), 'panel')
  symlinkSync(bin, link)
  t.match(panel(['--version'], {}, process.execPath, link).stdout, /^\d+\.\d+\.\d+/)
  t.end()
})

// Distributions have one; without it this test is empty.
const older = '/usr/bin/node'
const [, major = '99'] = existsSync(older)
  ? (/^v(\d+)/.exec(spawnSync(older, ['--version'], { encoding: 'utf8' }).stdout) ?? [])
  : []
const isOlder = Number(major) < 22

t.test('runs under an older Node with its own', { skip: !isOlder && 'no older Node' }, t => {
  t.match(panel(['--version'], {}, older).stdout, /^\d+\.\d+\.\d+/)
  t.equal(panel(['start', 'what'], {}, older).status, 2)
  t.end()
})

t.test('ends with 1 where the result could not be written, and with 0 on a closed pipe', t => {
  const shell = (command: string) =>
    spawnSync('sh', ['-c', command], { encoding: 'utf8', env: { ...inherited } })
  const full = shell(`${process.execPath} ${bin} start --help >/dev/full`)
  t.match(full, { status: 1, stderr: 'panel: Cannot write the result (ENOSPC)\n' })
  const unread = shell(`(${process.execPath} ${bin} start --help; echo $? >&2) | true`)
  t.equal(unread.stderr, '0\n')
  t.end()
})

t.test('ends with 1 for a refusal in one sentence, and shows a bug whole', t => {
  const sentence = 'Unknown account: alice'
  t.strictSame(refusal(new PanelError('not_found', sentence)), { words: sentence, code: 1 })
  t.strictSame(refusal(new ConfigError(sentence)), { words: sentence, code: 2 })
  t.match(refusal(new RangeError('bug')), { words: /RangeError: bug\n +at /, code: 1 })
  t.end()
})
