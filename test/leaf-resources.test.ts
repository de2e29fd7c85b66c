import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { accountBackups } from '../src/model/kinds/account-backups.ts'
import { cronJobs } from '../src/model/kinds/cron-jobs.ts'
import { databases } from '../src/model/kinds/databases.ts'
import { mail } from '../src/model/kinds/mail.ts'
import { sftpKeys } from '../src/model/kinds/sftp-keys.ts'
import type { ResourceKind } from '../src/model/operations/resource-kind.ts'

// A resource is a leaf: its names are in its own files and in tables of contents, so that to add or
// remove one touches nothing else. Websites are not a leaf: other resources are made of them.

const root = join(import.meta.dirname, '..')

/** The files in which every resource has a line or two. */
const contents = [
  'src/model/operations/resource-kinds.ts',
  'src/host/resources.ts',
  'src/api/routes.ts',
  'src/cli/commands.ts',
  'src/web/pages.ts',
  // The tabs of an account.
  'src/web/pages/accounts/shown.ts',
  // The limit on their number.
  'src/model/sellers/package-limits.ts',
  // The reasons to notify people.
  'src/model/notices/notice-kinds.ts',
]

type Leaf = {
  kind: ResourceKind
  /** Its folders, files and the functions of the database. */
  own: RegExp
  /** The names of its tables, if not all of them are. */
  tables?: string[]
  /** Whether other jobs begin with the first word of its operations, too. */
  sharesPrefix?: true
  /** Its names besides those of its tables and operations: of folders, addresses and records. */
  names: string[]
  /** Other files that name it, and why: the list may only become shorter. */
  elsewhere?: Record<string, string>
}

const leaves: Leaf[] = [
  {
    kind: cronJobs,
    own: /\/cron\/|texts\/en\/cron[.]|cron[-_](jobs?|runs|schedule|command)/,
    names: ['cron-jobs?', 'cronJobs?', "'cron jobs'"],
  },
  {
    kind: accountBackups,
    own: new RegExp(
      'account[-_](backup|restore)s?|backup[-_](pr|r|target)|tasks/backup/|texts/en/backups[.]',
    ),
    tables: [
      ...['account_backups', 'account_restores', 'backup_lists'],
      ...['backup_repositories', 'backup_targets'],
    ],
    names: ['account-backups?', 'accountBackups?', "'account backups'"],
  },
  {
    kind: mail,
    own: /\/mail\/|[-_/]mail[-_]|[/_]mail(box(es)?)?[.]/,
    // The word for mailboxes is also in sentences.
    tables: ['mail_domains', 'mail_aliases'],
    // The panel's own mail is sent by `mail/send`.
    sharesPrefix: true,
    names: [
      ...["'mail/(add|set|remove)-", '(from|join|into|update) (panel[.])?mailboxes'],
      ...['mail-hosting', 'mailHosting', "'mailboxes'"],
    ],
  },
  {
    kind: sftpKeys,
    // The part on the machine is older: who logs in at all, with which keys, and to which host key.
    // A rollback gives no key back that was removed, and doctor says who could write their folder.
    own: new RegExp(
      '/sftp/|sftp[-_]keys?|customer/(sftp|pages)[.]|access/(sftp|host-keys)[.]ts|' +
        'update/restrictions[.]ts|doctor/(permissions|default-remedies)[.]ts',
    ),
    names: ['sftp-keys?', 'sftpKeys?', '/sftp-key/'],
  },
  {
    kind: databases,
    // A group of doctor's checks is about the panel's own database.
    own: /databases?[-_./]|adminer|mariadb|doctor\/default-remedies[.]ts/,
    // The word alone is also in sentences.
    tables: ['database_users'],
    names: ['(from|join|into|update) (panel[.])?databases', 'usage/databases', '/databases/'],
    elsewhere: {
      // The first page about an account shows its websites and databases next to each other.
      'src/model/accounts/account-overview.ts': 'sizes of an account and of its databases',
      'src/web/pages/accounts/overview.eta': 'the card',
      'src/web/pages/accounts/states.ts': 'what the card shows',
      'src/web/pages/customer/overview.eta': 'the card',
      'src/web/pages/customer/overview.ts': 'what the card shows',
      // A search leads to pages of its own.
      'src/web/pages/customer/search.ts': 'finds by the names of users too',
      'src/web/pages/suggestions.ts': 'the address of its page',
      // The result of an import is shown after the page of its operation.
      'src/web/pages/operation.ts': 'the statements that were refused',
    },
  },
]

const files = globSync('{src,tasks,bin,release,systemd,sql/functions,billing}/**/*', { cwd: root })
  .filter(file => /\.(ts|eta|sql|php|service|conf|js|css)$/.test(file))
  .map(file => ({ file, text: uncommented(readFileSync(join(root, file), 'utf8')) }))

function uncommented(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/?\*|--).*$/gm, '')
}

for (const leaf of leaves) {
  const { kind, own, tables = kind.tables, names, elsewhere = {}, sharesPrefix = false } = leaf
  t.test(`${kind.tables.join()} is named in its own files and in tables of contents`, async t => {
    const prefixes = new Set(Object.keys(kind.operations).map(name => name.split('/')[0]))
    const all = [
      ...tables.map(table => `\\b${table}\\b`),
      ...[...(sharesPrefix ? [] : prefixes)].map(prefix => `['"]${prefix}/`),
      ...names.map(name => (/^\w/.test(name) ? `\\b${name}\\b` : name)),
    ]
    const named = new RegExp(all.join('|'))
    const strange = files.filter(
      ({ file, text }) => named.test(text) && !own.test(file) && !contents.includes(file),
    )
    t.strictSame(strange.map(({ file }) => file).sort(), Object.keys(elsewhere).sort())
    t.ok(Object.keys(elsewhere).length <= 8)
    t.ok(files.filter(({ file }) => own.test(file)).length > 5, 'its own files are found')
  })
}

t.test('a table of contents has a line or two for each', async t => {
  t.ok(contents.length <= 8)
  for (const { kind, names } of leaves.filter(({ elsewhere }) => !elsewhere)) {
    const named = new RegExp([...names, ...kind.tables].join('|'))
    for (const file of contents) {
      const lines = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter(line => named.test(line))
      t.ok(lines.length <= 2, `${file}: ${lines.join('; ')}`)
    }
  }
})
