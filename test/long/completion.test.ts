import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cli } from 'clipanion'
import t, { type Test } from 'tap'
import { buildCli } from '../../src/cli/cli.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { shells } from '../../src/cli/completion/stubs.ts'
import { type Kind, kinds } from '../../src/model/grammar/known-words.ts'
import { scratch } from '../support/scratch.ts'
import { until } from '../support/until.ts'
import { callPanel, panelFor, runPanel } from '../support/cli/run-panel.ts'

const folder = scratch(t)
const bin = join(import.meta.dirname, '../../bin/panel')
const script = (shell: string): string => join(folder, `panel.${shell}`)
for (const shell of shells) {
  const { stdout } = await callPanel(['completion', shell], {})
  writeFileSync(script(shell), stdout)
}

const without = (program: string): string | false =>
  spawnSync(program, ['--version']).error !== undefined && `${program} is not installed`

const panelFunction = `panel() { ${process.execPath} ${bin} "$@"; }`

const definitions = buildCli(Cli.defaultContext, await allCommands()).definitions()
// The words that may follow these.
const following = (words: string): string[] => {
  const paths = definitions.map(({ path }) => path).filter(path => path.startsWith(`${words} `))
  return [...new Set(paths.map(path => path.slice(words.length + 1).split(' ')[0]!))].sort()
}
const groups = ['panel', ...following('panel').map(word => `panel ${word}`)].filter(
  words => following(words).length > 0,
)

t.test('prints a script on standard output, whatever panel there is', async t => {
  const result = await runPanel(['completion', 'bash'], {})
  t.match(result, { code: 0, stderr: '', stdout: /^# Completion of panel for bash/ })
  t.match(await callPanel(['completion', 'tcsh'], {}), {
    code: 2,
    stdout: '',
    stderr: 'panel: SHELL must be bash, zsh, fish\n',
  })
})

// A panel with accounts that have a website, a database and a database user each, and a package
// that is named like the first.
async function stage(t: Test, ...usernames: string[]) {
  const given = await panelFor(t)
  await given.pool.query(
    `with package as (
       insert into panel.packages (seller_id, name) select id, ($1::text[])[1] from panel.sellers
       returning id, seller_id),
     made as (
       insert into panel.accounts (seller_id, package_id, username, email, password_hash, state)
       select seller_id, id, name, 'a@example.com', '$6$secret$hash', 'active'
       from package, unnest($1::text[]) as n (name) returning id, username),
     served as (
       insert into panel.sites (account_id, domain) select id, username || '.example' from made),
     stored as (
       insert into panel.databases (account_id, name, desired)
       select id, username || '_shop', 'present' from made)
     insert into panel.database_users (account_id, name, hash, desired)
     select id, username || '_reader', '*' || repeat('0', 40), 'present' from made`,
    [usernames],
  )
  return given
}

// A line for each kind of names and ids.
const lines: Record<Kind, string> = {
  accounts: 'account show',
  packages: 'package show',
  operators: 'token ls --owner',
  resellers: 'reseller show',
  tokens: 'token revoke',
  'shared-parents': 'shared-parent rm',
  webhooks: 'webhook rm',
  sites: 'site rm alan',
  databases: 'database rm alan',
  'database-users': 'database password alan',
  jobs: 'jobs show',
  deliveries: 'webhook redeliver',
}

t.test('lists the names and ids that there are, to the scripts alone', async t => {
  const { pool, panel, environment } = await stage(t, 'alan', 'alice', 'bob')
  await pool.query(`update panel.accounts set state = 'suspended' where username = 'alan'`)
  const words = (line: string) => panel(['completion', 'words', 'bash', '--', ...line.split(' ')])
  t.match(await words('account show al'), { code: 0, stdout: 'alan\nalice\n', stderr: '' })
  t.match(await words('package show '), { stdout: 'alan\n' })
  t.match(await words('site rm alan a'), { stdout: 'alan.example\n' })
  t.match(await words('site rm --yes alan a'), { stdout: 'alan.example\n' })
  t.match(await words('database rm alan '), { stdout: 'alan_shop\n' })
  for (const line of ['database password alan ', 'database user alan alan_shop ']) {
    t.match(await words(line), { stdout: 'alan_reader\n' })
  }
  t.match(await words('jobs ls --account bo'), { stdout: 'bob\n' })
  t.match(await words('account create alice --email '), { stdout: '' }, 'any value')
  t.match(await words('license install '), { stdout: ':files\n' })
  t.match(await words('nothing like '), { code: 0, stdout: '', stderr: '' })
  t.match(await words('account show -- -'), { code: 0, stdout: '' })
  for (const kind of kinds) {
    t.match(await words(`${lines[kind]} %`), { code: 0, stdout: '', stderr: '' }, kind)
  }
  await pool.query(`update panel.packages set name = '$(touch x)'`).catch(() => undefined)
  t.notMatch((await words('package show ')).stdout, /\$/)
  t.match(await panel(['completion', 'words', 'tcsh']), { code: 2, stdout: '' })
  t.notMatch((await panel(['--help'])).stdout, 'completion words')

  if (without('bash') !== false) return
  const program = `source ${script('bash')}
    ${panelFunction}
    COMP_WORDS=(panel account show al) COMP_CWORD=3; _panel; echo "\${COMPREPLY[@]}"`
  const env = { ...environment, PATH: process.env['PATH'] }
  const { stdout } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8', env })
  t.equal(stdout, 'alan alice\n')
})

t.test('bash knows every command and every option', { skip: without('bash') }, async t => {
  const asked = [...groups, ...definitions.map(({ path }) => `${path} -`)]
  const program = `source ${script('bash')}
    ${panelFunction}
    while IFS= read -r line; do
      COMP_WORDS=($line) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      [[ $line == *- ]] || { COMP_CWORD=$((COMP_CWORD + 1)); COMP_WORDS+=(''); }
      _panel
      echo "\${COMPREPLY[@]}"
    done`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], {
    input: asked.map(line => `${line}\n`).join(''),
    encoding: 'utf8',
  })
  t.equal(stderr, '')
  const answers = stdout.split('\n').map(line => line.split(' '))
  for (const [index, words] of groups.entries()) {
    const offered = answers[index]!.filter(word => !word.startsWith('-'))
    t.strictSame(offered.sort(), following(words), words)
  }
  for (const [index, { path, options }] of definitions.entries()) {
    const own = options.map(({ definition }) => definition.split(' ')[0])
    t.strictSame(answers[groups.length + index]!.sort(), [...own, '--help'].sort(), path)
  }
})

t.test('fish knows every command, with what it does', { skip: without('fish') }, async t => {
  const { environment } = await stage(t, 'alice')
  const asked = [
    ...groups,
    'panel account show',
    'panel token create -',
    'panel user add --role',
    'panel license install',
    'panel site rm alice',
    'panel site rm alice a.example',
  ]
  const program = `source ${script('fish')}
    function panel; ${process.execPath} ${bin} $argv; end
    for line in ${asked.map(words => `'${words}'`).join(' ')}
      complete -C (string match -q -- '*-' $line; and echo $line; or echo "$line ")
      echo ---
    end`
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', program], {
    encoding: 'utf8',
    cwd: folder,
    env: { ...environment, PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' },
  })
  t.equal(stderr, '')
  const answers = stdout.split('---\n').map(answer => answer.trim().split('\n'))
  for (const [index, words] of groups.entries()) {
    const offered = answers[index]!.map(line => line.split('\t')[0])
    t.strictSame(offered.sort(), following(words), words)
    for (const line of answers[index]!) t.match(line, /\t\w/)
  }
  const [names = [], options = [], roles = [], files = [], sites = [], none = []] = answers.slice(
    groups.length,
  )
  t.match(names.join('\n'), /^alice$/m)
  t.match(options.join('\n'), /^--owner\tthe administrator or reseller that it acts for$/m)
  t.match(roles.join('\n'), /^administrator\b.*\nreseller\b/)
  t.match(files.join('\n'), /^panel\.bash$/m)
  t.strictSame(sites, ['alice.example'])
  t.strictSame(none, [''])
})

// Typed text, and the words that the command gets; ⇥ is the tab key.
const typed: [keys: string, words: string][] = [
  ['panel tok⇥cre⇥--own⇥admin --allow 192.0.2.7', 'token create --owner admin --allow 192.0.2.7'],
  ['panel ctl res⇥bob --pass⇥', 'ctl reset-password bob --password-stdin'],
  ['panel user add bob --role adm⇥--em⇥x', 'user add bob --role administrator --email x'],
  ['panel ctl emit ssl⇥', 'ctl emit ssl.issued'],
  ['panel comp⇥fi⇥', 'completion fish'],
  ['panel license inst⇥pan⇥fi⇥', 'license install panel.fish'],
  ['panel account ls --state susp⇥', 'account ls --state suspended'],
  ['panel jobs ls --state blo⇥', 'jobs ls --state blocked'],
  ['panel webhook deliveries --state del⇥', 'webhook deliveries --state delivered'],
  ['panel jobs ls --account al⇥', 'jobs ls --account alice'],
  ['panel account show al⇥', 'account show alice'],
  ['panel account set-package al⇥al⇥', 'account set-package alice alice'],
  ['panel site rm al⇥al⇥', 'site rm alice alice.example'],
  ['panel database rm al⇥al⇥', 'database rm alice alice_shop'],
  ['panel database password al⇥al⇥', 'database password alice alice_reader'],
  ['panel database user al⇥al⇥al⇥', 'database user alice alice_shop alice_reader'],
  ['panel database user alice a b --rights re⇥', 'database user alice a b --rights read'],
]

// The real command answers the script; a line that was typed is only shown.
const panelShown =
  `panel() { [[ "$1 $2" != "completion words" ]] && { echo "got: $*."; return; }; ` +
  `${process.execPath} ${bin} "$@"; }`

for (const [shell, flags, prepare] of [
  ['bash', '--norc --noprofile -i', `bind 'set enable-bracketed-paste off'`],
  ['zsh', '-f -i', 'autoload -U compinit && compinit -D -u'],
] as const) {
  t.test(`${shell} completes what is typed`, { skip: without(shell) }, async t => {
    const { environment } = await stage(t, 'alice')
    const { type } = await terminal(t, `${shell} ${flags}`, environment)
    await type(`${prepare}; source ${script(shell)}; ${panelShown}; echo rea""dy`, /ready/)
    for (const [keys, words] of typed) {
      const end = new RegExp(`got: ${words} ?\\.`)
      const seen = await type(keys.replaceAll('⇥', '\t'), /got: .*\./)
      t.match(seen, end, keys)
    }
  })
}

// A shell in a terminal; the user waits for each line's output to end.
async function terminal(t: Test, command: string, environment: Record<string, string>) {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: {
      ...environment,
      PATH: process.env['PATH'],
      HOME: folder,
      TERM: 'dumb',
      PS1: 'at> ',
      LC_ALL: 'C.UTF-8',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let seen = ''
  child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  await until(() => seen.includes('at> '))
  return {
    type: async (line: string, end: RegExp): Promise<string> => {
      seen = ''
      child.stdin.write(`${line}\n`)
      await until(() => end.test(seen))
      return seen
    },
  }
}
