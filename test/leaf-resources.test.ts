import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cronJobs } from '../src/model/kinds/cron-jobs.ts'
import { sftpKeys } from '../src/model/kinds/sftp-keys.ts'
import type { ResourceKind } from '../src/model/operations/resource-kind.ts'

// A resource is a leaf: its names stand in its own files and in tables of contents, so that to add
// or to take away one touches nothing else. Websites and databases are no leaves: other resources
// are made of them.

const root = join(import.meta.dirname, '..')

/** Where every resource has its line or two. */
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
]

type Leaf = {
  kind: ResourceKind
  /** Its folders, files and the functions of the database. */
  own: RegExp
  /** Its names besides those of its tables and operations: of folders, addresses and records. */
  names: string[]
}

const leaves: Leaf[] = [
  {
    kind: cronJobs,
    own: /\/cron\/|cron[-_](jobs?|runs|schedule|command)/,
    names: ['cron-jobs?', 'cronJobs?', "'cron jobs'"],
  },
  {
    kind: sftpKeys,
    // The part on the machine is older: who logs in at all, with which keys, and to which host key.
    // A rollback gives no key back that was removed, and doctor says who could write their folder.
    own: new RegExp(
      '/sftp/|sftp[-_]keys?|customer/(sftp|pages)[.]|access/(sftp|host-keys)[.]ts|' +
        'update/restrictions[.]ts|doctor/permissions[.]ts',
    ),
    names: ['sftp-keys?', 'sftpKeys?', '/sftp-key/'],
  },
]

const files = globSync('{src,tasks,bin,release,systemd,sql/functions,billing}/**/*', { cwd: root })
  .filter(file => /\.(ts|eta|sql|php|service|conf|js|css)$/.test(file))
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

for (const { kind, own, names } of leaves) {
  t.test(`${kind.tables.join()} is named in its own files and in tables of contents`, async t => {
    const prefixes = new Set(Object.keys(kind.operations).map(name => name.split('/')[0]))
    const all = [
      ...kind.tables.map(table => `\\b${table}\\b`),
      ...[...prefixes].map(prefix => `['"]${prefix}/`),
      ...names.map(name => (/^\w/.test(name) ? `\\b${name}\\b` : name)),
    ]
    const named = new RegExp(all.join('|'))
    const strange = files.filter(
      ({ file, text }) => named.test(text) && !own.test(file) && !contents.includes(file),
    )
    t.strictSame(
      strange.map(({ file, text }) => `${file}: ${named.exec(text)?.[0]}`),
      [],
    )
    t.ok(files.filter(({ file }) => own.test(file)).length > 5, 'its own files are found')
  })
}

t.test('a table of contents has a line or two for each', async t => {
  t.ok(contents.length <= 8)
  for (const { kind, names } of leaves) {
    const named = new RegExp([...names, ...kind.tables].join('|'))
    for (const file of contents) {
      const lines = readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter(line => named.test(line))
      t.ok(lines.length <= 2, `${file}: ${lines.join('; ')}`)
    }
  }
})
