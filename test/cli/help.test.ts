import { Cli, Command } from 'clipanion'
import t from 'tap'
import { buildCli } from '../../src/cli/cli.ts'
import { allCommands, commandNames, commandsFor, load } from '../../src/cli/commands.ts'
import { complete } from '../../src/cli/completion/complete.ts'
import { explain } from '../../src/cli/wrong-usage.ts'
import { callPanel } from '../support/cli/run-panel.ts'

const all = await allCommands()
const cli = buildCli(Cli.defaultContext, all)
const commands = cli.definitions()

t.test('every command explains itself, with examples that are right', async t => {
  t.ok(commands.length >= 14)
  for (const { path, description, examples = [] } of commands) {
    t.match(description, /\w/, path)
    t.not(examples.length, 0, path)
    for (const [label, line] of examples) {
      const called = line.replace(/^(?:[A-Z_]+=\S+ )+/, '')
      const words = [...called.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replaceAll('"', ''))
      t.equal(words.shift(), 'panel', label)
      // As it is run: with all commands at hand parsing takes twenty times as long.
      const own = buildCli(Cli.defaultContext, await commandsFor(words))
      t.doesNotThrow(() => own.process(words), line)
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
    t.equal((await commandsFor(words)).length, all.length, words.join(' '))
  }
})

t.test('help goes to standard output, without colours off a terminal', async t => {
  // The variables that a terminal would set.
  const terminal = { TERM: 'xterm-256color', COLORTERM: 'truecolor', FORCE_COLOR: '1' }
  for (const words of [['--help'], ['token', 'create', '--help'], ['token', '--help']]) {
    const result = await callPanel(words, terminal)
    t.match(result, { code: 0, stdout: /panel token create/, stderr: '' })
    t.notMatch(result.stdout, '\u001b')
    t.notMatch(result.stdout, /#[0-9]|VALUE/, 'every value has a name')
    t.equal(/^Usage: panel |^\$ panel /m.test(result.stdout), true)
  }
})

t.test('half a command is wrong usage', async t => {
  const result = await callPanel(['token'], {})
  t.match(result, {
    code: 2,
    stdout: '',
    stderr: /A command is missing\n.*panel token create +create/s,
  })
  t.match(await callPanel(['ctl', 'rebuild', '--help'], {}), { stdout: / \[USERNAME\]\.\.\.$/m })
})

t.test('wrong usage names what is missing, and the nearest command or option', async t => {
  const wrong: [string, RegExp][] = [
    ['user add bob', /^panel: user add needs --role ROLE and --email EMAIL$/m],
    ['user add --role=reseller', /needs --email EMAIL$/m],
    ['jobs show', /^panel: jobs show needs ID\nUsage: panel jobs show <ID>$/m],
    ['jobs ls --stat done', /has no option --stat; is it --state\?$/m],
    ['jobs ls --state', /needs a value for --state$/m],
    ['jobs show a b', /Extraneous positional argument \("b"\)/],
    ['tokn ls', /There is no command tokn ls; is it `panel token ls`\?/],
    ['jobs lst', /is it `panel jobs ls`\?\n.*panel jobs show +/s],
    ['account list', /is it `panel account ls`\?/],
    ['token rm 1', /There is no command token rm\n/],
    ['doctor', /is it `panel ctl doctor`\?/],
    ['xyzzy', /There is no command xyzzy\n`panel --help` lists all commands\.$/m],
    ['accounts', /There is no command accounts; is it `panel account`\?\n.*account ls/s],
    ['job', /There is no command job; is it `panel jobs`\?\n.*jobs ls/s],
    ['accounts lst', /There is no command account lst; is it `panel account ls`\?/],
    ['--nonsense', /A command is missing/],
  ]
  for (const [words, stderr] of wrong) {
    t.match(await callPanel(words.split(' '), {}), { code: 2, stdout: '', stderr }, words)
  }
  const colour = '\u001b[31mred'
  t.notMatch((await callPanel(['jobs', `--${colour}`], {})).stderr, '\u001b')
})

t.test('a command may have a name of three words', async t => {
  class Add extends Command {
    static override paths = [['post', 'domain', 'add']]
    static override usage = Command.Usage({ description: 'have post for a domain' })
    execute = () => Promise.resolve()
  }
  const grown = buildCli(Cli.defaultContext, [...all, Add])
  const wrong: [string, RegExp][] = [
    ['post', /A command is missing\n.*panel post domain add  have post/s],
    ['post domain', /A command is missing\n.*panel post domain add  have post/s],
    ['post domain ad', /There is no command post domain ad; is it `panel post domain add`\?/],
    ['post domian', /There is no command post domian\n.*panel post domain add/s],
  ]
  for (const [words, answer] of wrong) t.match(explain(grown, words.split(' '), ''), answer, words)
  const words = (...line: string[]) =>
    complete(line, {
      names: [...commandNames, 'post domain add'],
      load: async name => (name === 'post domain add' ? Add : load(name)),
      list: async () => [],
      isDescribed: true,
      offersOptions: true,
    })
  t.strictSame((await words('')).at(-1), { word: 'post', description: 'domain' })
  t.strictSame(await words('post', ''), [{ word: 'domain', description: 'add' }])
  const add = { word: 'add', description: 'have post for a domain' }
  t.strictSame(await words('post', 'domain', ''), [add])
})

t.test('`panel help` and a group in the other number get there', async t => {
  const helps = [['help'], ['--help'], ['help', '--help'], []]
  const [one, ...others] = await Promise.all(helps.map(words => callPanel(words, {})))
  t.match(one, { code: 0, stderr: '', stdout: /^ {2}panel jobs ls +list/m })
  for (const other of others) t.strictSame(other.stdout, one?.stdout)
  const same = [
    ['help jobs ls', 'jobs ls --help'],
    ['help job', 'jobs --help'],
    ['job ls --help', 'jobs ls --help'],
    ['jobs help', 'jobs --help'],
    ['job help ls', 'jobs ls --help'],
    ['version', '--version'],
    ['tokens create --help', 'token create --help'],
  ] as const
  for (const [words, meant] of same) {
    const result = await callPanel(words.split(' '), {})
    t.equal(result.code, 0, words)
    t.equal(result.stdout, (await callPanel(meant.split(' '), {})).stdout, words)
  }
})

t.test('help fits 80 columns, and marks what is required', async t => {
  for (const { path, options } of commands) {
    const words = path.split(' ').slice(1)
    const { stdout } = await callPanel([...words, '--help'], {})
    for (const { definition, required } of options) {
      const [name = ''] = definition.split(' ')
      const [shown] = new RegExp(`^  ${name}[^-]*?(?=\\n {2}-|\\n\\n)`, 'm').exec(stdout) ?? ['']
      t.equal(/\(required\)/.test(shown), required, `${path} ${name}`)
    }
    t.notMatch(stdout, /^.{81,}$/m, path)
  }
  t.notMatch((await callPanel(['--help'], {})).stdout, /^.{81,}$/m)
  const { stdout } = await callPanel(['reseller', 'set', '--help'], {})
  t.match(stdout, /^\$ panel reseller set <NAME> --max-accounts COUNT .*\n {2}--.* PERCENT$/m)
  t.match(stdout, /^ {2}\$ panel reseller set bob --.* \\\n {6}--[^\\]* 100$/m)
  const misused = await callPanel(['reseller', 'set'], {})
  t.notMatch(misused.stderr.slice(misused.stderr.indexOf('Usage')), /^.{81,}$/m)
})
