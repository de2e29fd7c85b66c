import { Cli } from 'clipanion'
import t from 'tap'
import { buildCli } from '../../src/cli/cli.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { scratch } from '../support/scratch.ts'
import { callPanel } from '../support/cli/run-panel.ts'

// Wrong usage ends with 2, before anything is looked at: there is no database here.

const environment = {
  DATABASE_URL: 'postgresql://missing@127.0.0.1:1/none',
  PANEL_STATE_DIR: scratch(t),
}
const definitions = buildCli(Cli.defaultContext, await allCommands()).definitions()

for (const { path, usage, options } of definitions) {
  t.test(`${path} takes no other words than its own`, async t => {
    const words = path.split(' ').slice(1)
    const needed = [...usage.matchAll(/ <([A-Z]+)>/g)].map(() => 'x')
    const possible = [...usage.matchAll(/ \[([A-Z|]+)\]/g)].map(() => 'x')
    const required = options.flatMap(({ required, definition }) =>
      required ? [definition.split(' ')[0]!, 'x'] : [],
    )
    const whole = [...words, ...needed, ...possible, ...required]
    const wrong = [
      [...whole, '--nonsense'],
      [...whole, '--json=maybe'],
      ...(usage.includes('...') ? [] : [[...whole, 'more']]),
      ...(needed.length === 0 ? [] : [[...words, ...needed.slice(1), ...required]]),
      ...(required.length === 0 ? [] : [[...words, ...needed, ...required.slice(2)]]),
      ...options.flatMap(({ definition }) => {
        const [name = '', value] = definition.split(' ')
        return value === undefined ? [] : [[...whole, name]]
      }),
    ]
    for (const lines of wrong) {
      const { code, stdout, stderr } = await callPanel(lines, environment)
      t.equal(code, 2, `${lines.join(' ')}: ${stderr}`)
      t.equal(stdout, '')
      t.match(stderr, /^panel: .*\nUsage: /, lines.join(' '))
    }
  })
}

const id = '6f1d7a52-0f0e-4c7e-8f0f-3a1f6f0b1c11'
const plan = '--max-accounts 1 --disk-mb 1 --max-sites 1 --memory-mb 256'
for (const words of [
  'acount ls',
  'account',
  'account lst',
  'tokens revke 1',
  '--nonsense',
  'account ls --state gone',
  'account create alice --email missing --package starter',
  'account create A! --email a@example.com --package starter',
  'account create alice --email a@example.com --package starter --domain localhost',
  'account suspend alice --wait -1',
  'account suspend alice --wait soon',
  'account suspend alice --idempotency-key é',
  'account set-email alice missing',
  'site add alice localhost',
  'site set alice a.example --serve-sources maybe',
  'site set alice a.example --https-only maybe',
  'site set alice a.example --fallback other',
  'site set alice a.example --document-root ../x',
  'site set alice a.example --redirect old=https://b.example/',
  'site set alice a.example --redirect /old=ftp://b.example/',
  'site set alice a.example --protect admin',
  'site set alice a.example --user a:b --password-stdin',
  'site set alice a.example --www maybe',
  'site set alice a.example',
  'database add alice Shop',
  'database user alice alice_shop alice_shop --rights super',
  'package set starter --disk-mb -1',
  'package set starter --sftp maybe',
  'shared-parent add localhost',
  'user add bob --role king --email b@example.com',
  'user add bob --role reseller --email missing',
  `reseller set bob ${plan} --cpu-percent many`,
  'token create --owner admin --expires yesterday',
  'token create --owner admin --allow everybody',
  'token create --owner admin --permission all',
  'token revoke mine',
  'webhook add nowhere',
  'webhook rm mine',
  `webhook set ${id} --event none`,
  `webhook set ${id}`,
  `webhook secret ${id} --overlap 25`,
  'webhook deliveries --limit 0',
  'webhook deliveries --state none',
  'jobs ls --limit many',
  'jobs ls --since then',
  'jobs ls --state none',
  'jobs ls --task none',
  'jobs show mine',
  'jobs cancel',
  `jobs cancel ${id} --account alice`,
  'jobs pause none',
  'jobs watch --interval never',
  'ctl emit none --data {}',
  'ctl emit account.created --data {',
  'ctl allow-ip --add everybody',
  'ctl demand-2fa --on --off',
  'ctl support-contact --set me@example.com --clear',
  'ctl dr-restore',
  'ctl dr-restore --release --force',
  'completion tcsh',
  'install --email missing',
]) {
  t.test(`${words} is wrong usage`, async t => {
    const { code, stdout, stderr } = await callPanel(words.split(' '), environment)
    t.equal(code, 2, stderr)
    t.equal(stdout, '')
    t.match(stderr, /^panel: /)
  })
}
