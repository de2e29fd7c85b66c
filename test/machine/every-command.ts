import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { allCommands } from '../../src/cli/commands.ts'
import { vendor } from '../support/cli/licenses.ts'
import { fromResources } from '../resource-tests.ts'
import type { DebianMachine } from './debian-machine.ts'
import type { Output } from './machine.ts'

// Every command of an installed panel, in an order in which each finds what it needs. What a unit
// forbids to a tool that only one of them has started is seen nowhere else.

/** The account, the package and the reseller that are there for this alone. */
const [account, reseller] = ['carla', 'rita']

type Found = Record<string, any>
/** Runs the command with these words, has it succeed, and returns what it has shown. */
export type Say = {
  (...words: string[]): Promise<Found>
  /** The same with something on its standard input. */
  given: (input: string, ...words: string[]) => Promise<Found>
  /** Has it end with 1, or another code, and say this. */
  refused: (what: RegExp, words?: string[], input?: string, code?: number) => Promise<void>
  /** Commands that were shown before, by name. */
  shown: Record<string, Found>
  machine: DebianMachine
}

const password = 'correct horse battery\n'
const passphrase = 'a passphrase that is long enough\n'
const dump = 'CREATE TABLE t (a INT); INSERT INTO t VALUES (1); SELECT * FROM missing;\n'
const [database, user] = [`${account}_shop`, `${account}_report`]
const backup = '/srv/every.age'
// The panel is used on: what ends or replaces it is shown by other parts of the suite.
const cases: Record<string, (say: Say) => Promise<unknown>> = {
  'package set': say =>
    say('tried', '--max-databases', '3', '--max-sites', '3', '--backups', 'none'),
  'package ls': say => say(),
  'package show': say => say('tried'),
  'account create': say =>
    say(account, '--email', 'c@example.com', '--package', 'tried', '--domain', 'carla.example'),
  'account ls': say => say('--state', 'active'),
  'account show': say => say(account),
  'account set-package': say => say(account, 'starter').then(() => say(account, 'tried')),
  'account set-password': say => say.given(password, account, '--password-stdin'),
  'account set-email': say => say(account, 'carla@example.org'),
  'account login': say => say(account),
  'account suspend': say => say(account, '--reason', 'tried'),
  'account unsuspend': say => say(account),
  'site add': say => say(account, 'shop.carla.example'),
  'site ls': say => say(account),
  'site set': say => say(account, 'shop.carla.example', '--serve-sources', 'no'),
  'site show': say => say(account, 'shop.carla.example'),
  'site statistics': say => say(account, 'shop.carla.example'),
  'site logs': say => say(account, 'shop.carla.example', '--errors'),
  'site recheck': say => say(account, 'shop.carla.example'),
  'site rm': say => say(account, 'shop.carla.example', '--yes'),
  'shared-parent add': say => say('shared.example'),
  'shared-parent ls': say => say(),
  'shared-parent rm': say => say('shared.example'),
  'web trusted-proxies add': say => say('cloudflare'),
  'web trusted-proxies ls': say => say(),
  'web trusted-proxies set': say => say('192.0.2.1'),
  'web trusted-proxies rm': say => say('192.0.2.1/32'),
  // Its daemons are not on the machine, and have a test of their own.
  'mail enable': say => say.refused(/at least two labels/, ['--host', 'no host'], '', 2),
  'mail disable': say => say(),
  'mail relay set': say =>
    say('localhost', '--port', '25', '--tls', 'none', '--from-domain', 'mail.example.net'),
  'mail relay show': say => say(),
  'mail relay rm': say => say(),
  'php ls': say => say(),
  async 'php default'(say) {
    const { versions } = say.shown['php ls'] ?? {}
    await say(versions[0].version)
    await say.refused(/PHP 4\.4 is not installed/, ['4.4'])
    await say('newest')
  },
  // Its own is there already, and no source of packages has the other.
  async 'php install'(say) {
    await say.refused(/apt has no package php4\.4-fpm/, ['4.4'])
    await say(say.shown['php ls']?.['versions'][0].version)
  },
  ...fromResources(({ commands }) => commands?.(account)),
  'database add': say => say(account, 'shop'),
  'database ls': say => say(account),
  'database user': say => say(account, database, user, '--rights', 'read'),
  'database password': say => say(account, user),
  async 'database import'(say) {
    writeFileSync(join(say.machine.root, 'srv/dump.sql'), dump)
    const { refused } = await say(account, database, '/srv/dump.sql')
    if (!/1146.*missing/.test(refused.join())) throw new Error(`It has refused ${refused}`)
  },
  'database export': say => say(account, database, '--output', '/srv/export.sql'),
  'database size': say => say(account),
  'database optimize': say => say(account, database),
  'database rm': say => say(account, database, '--yes'),
  'ctl info': say => say(),
  'ctl rebuild': say => say(account).then(() => say()),
  // There are no name servers.
  'ctl doctor': say => say.refused(/FAILURE  resolver: /, ['--problems'], '', 2),
  'ctl support-bundle': say => say('--output', '/srv/every.tgz'),
  'ctl support-contact': say => say('--set', 'support@example.com').then(() => say('--clear')),
  'ctl demand-2fa': say => say('--on').then(() => say('--off')),
  'ctl disable-2fa': say => say('admin', '--yes'),
  'ctl allow-ip': say => say('--list'),
  'ctl emit': say =>
    say('database.created', '--data', JSON.stringify({ username: account, database })),
  'user add': say => say(reseller, '--role', 'reseller', '--email', 'r@example.com'),
  'user ls': say => say(),
  'ctl reset-password': say => say(reseller),
  'reseller set': say => say(reseller, ...plan),
  'reseller ls': say => say(),
  'reseller show': say => say(reseller),
  'reseller suspend': say => say(reseller),
  'reseller unsuspend': say => say(reseller),
  'token create': say => say('--owner', reseller),
  'token ls': say => say('--owner', reseller),
  'token revoke': say => say(say.shown['token create']?.['id'], '--yes'),
  'webhook add': say => say('https://receiver.example/hook'),
  'webhook ls': say => say(),
  'webhook set': say => say(idOf(say), '--event', 'account.suspended'),
  // There is no network.
  'webhook test': say => say.refused(/receiver\.example|ENOTFOUND|EAI_AGAIN/, [idOf(say)]),
  'webhook secret': say => say(idOf(say)),
  'webhook deliveries': say => say(),
  'webhook redeliver': say => say(say.shown['webhook deliveries']?.['deliveries'][0].id),
  'webhook rm': say => say(idOf(say), '--yes'),
  'jobs ls': say => say('--account', account),
  'jobs show': say => say(say.shown['jobs ls']?.['jobs'][0].id),
  'jobs retry': say => say.refused(/has succeeded/, [doneOf(say)]),
  'jobs cancel': say => say.refused(/has ended/, [doneOf(say)]),
  'jobs pause': say => say('account/create'),
  'jobs resume': say => say('account/create'),
  'jobs stats': say => say(),
  'jobs watch': say => say('--times', '1'),
  'license show': say => say(),
  async 'license install'(say) {
    const { server_id } = say.shown['ctl info'] ?? {}
    // By another vendor's key.
    writeFileSync(join(say.machine.root, 'srv/other'), vendor().license({ server_id }))
    await say.refused(/signature|signed/, ['/srv/other'])
    await say(say.shown['license show']?.['file'] ?? '/etc/panel/license')
  },
  'backup create': say => say.given(passphrase, '--output', backup, '--passphrase-stdin'),
  'backup ls': say => say(),
  'backup verify': say => say.given(passphrase, backup, '--passphrase-stdin'),
  'ctl dr-restore': say =>
    say.refused(/The panel is running/, [backup, '--passphrase-stdin', '--dry-run'], passphrase),
  completion: say => say('bash'),
  'completion words': say => say('bash', '--', 'account', 'show', ''),
  start: say => say.refused(/./),
  install: say => say('--yes'),
  update: say => say.refused(/PANEL_UPDATE_URL/, ['--check']),
  rollback: say => say.refused(/no earlier release to roll back to/, ['--yes']),
  uninstall: say => say.refused(/use --yes/, ['--purge']),
  'account terminate': say => say(account, '--yes'),
  'package rm': say => say('tried', '--yes'),
}

const plan = [
  ...['--max-accounts', '5', '--disk-mb', '1024', '--max-sites', '5'],
  ...['--memory-mb', '128', '--cpu-percent', '50'],
]

/** The newest of the account's jobs may be a delivery that ended with its webhook. */
const doneOf = ({ shown }: Say): string =>
  shown['jobs ls']?.['jobs'].find(({ state }: Found) => state === 'done').id

const idOf = ({ shown }: Say): string => shown['webhook add']?.['id']

/** Runs each of them on an installed panel with databases, under the units as they are. */
export async function showEveryCommand(t: Test, machine: DebianMachine): Promise<void> {
  const known = (await allCommands()).map(({ paths }) => paths![0]!.join(' '))
  t.strictSame(Object.keys(cases).sort(), known.sort(), 'each command has a case')
  const shown: Record<string, Found> = {}
  for (const [name, act] of Object.entries(cases)) {
    await t.test(`panel ${name}`, t => act(sayOf(t, machine, name, shown)))
  }
}

function sayOf(t: Test, machine: DebianMachine, name: string, shown: Say['shown']): Say {
  const call = async (input: string, words: string[]): Promise<Output> =>
    machine.run(['panel', ...name.split(' '), ...words], input)
  const given = async (input: string, ...words: string[]): Promise<Found> => {
    const json = hasJson(name) ? ['--json'] : []
    const result = await call(input, [...words, ...json])
    t.equal(result.code, 0, `${result.stdout}${result.stderr}`)
    shown[name] = json.length > 0 ? (JSON.parse(result.stdout) as Found) : { text: result.stdout }
    return shown[name]
  }
  const refused: Say['refused'] = async (what, words = [], input = '', code = 1) => {
    const result = await call(input, words)
    t.equal(result.code, code, `${result.stdout}${result.stderr}`)
    t.match(`${result.stdout}${result.stderr}`, what)
  }
  return Object.assign((...words: string[]) => given('', ...words), {
    ...{ given, refused, shown, machine },
  })
}

// Commands for people alone, or that print the text itself.
const hasJson = (name: string): boolean => !/^(completion|install|start|database export)/.test(name)
