import { Cli } from 'clipanion'
import t from 'tap'
import { buildCli } from '../../src/cli/cli.ts'
import { allCommands, commandsFor } from '../../src/cli/commands.ts'
import { callPanel } from './fixtures/run-panel.ts'

const cli = buildCli(Cli.defaultContext, await allCommands())
const commands = cli.definitions()

t.test('every command explains itself, with examples that are right', async t => {
  t.ok(commands.length >= 14)
  for (const { path, description, examples = [] } of commands) {
    t.match(description, /\w/, path)
    t.not(examples.length, 0, path)
    for (const [label, line] of examples) {
      const words = line.replace(/^(?:[A-Z_]+=\S+ )+/, '').split(' ')
      t.equal(words.shift(), 'panel', label)
      t.doesNotThrow(() => cli.process(words), line)
      t.ok(line.includes(path), line)
    }
  }
})

t.test('a command is loaded by its words alone, and half of them load all', async t => {
  for (const command of await allCommands()) {
    for (const words of command.paths ?? []) {
      t.strictSame(await commandsFor([...words, '--json']), [command], words.join(' '))
    }
  }
  t.strictSame(await commandsFor(['--version']), [])
  const others = [[], ['ctl'], ['ctl', 'rebuil'], ['--help', 'ctl', 'info'], ['constructor']]
  for (const words of others) {
    t.equal((await commandsFor(words)).length, commands.length, words.join(' '))
  }
})

t.test('help goes to standard output, without colours where nobody looks', async t => {
  // What a terminal would set.
  const terminal = { TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '1' }
  for (const words of [['--help'], ['token', 'create', '--help'], ['token', '--help']]) {
    const said = await callPanel(words, terminal)
    t.match(said, { code: 0, stdout: /panel token create/, stderr: '' })
    t.notMatch(said.stdout, '\u001b')
    t.notMatch(said.stdout, /#[0-9]/, 'what is to be said has a name')
  }
})

t.test('half a command is wrong usage', async t => {
  const said = await callPanel(['token'], {})
  t.match(said, { code: 2, stdout: '', stderr: /panel token create .*<--owner VALUE>/ })
  t.match(await callPanel(['ctl', 'rebuild', '--help'], {}), { stdout: / \[NAME\]\.\.\.$/m })
})
