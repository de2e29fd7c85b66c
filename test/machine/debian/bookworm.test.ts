import t from 'tap'
import { showApplications } from '../applications/applications.ts'
import { showEverything } from '../every-operation.ts'
import { installByOptions } from '../first-install.ts'
import { showInstalled } from '../install-suite.ts'
import { showTwoVersions } from '../installed-php.ts'

t.test('a panel is installed on Debian 12, although its installer is killed', t =>
  showInstalled(t, 'bookworm', {
    databases: false,
    installFirst: installByOptions,
    kill: (_machine, stop) => stop(),
    // Databases can be asked for later.
    async afterwards(t, machine, client) {
      const result = await machine.run(['panel', 'install', '--yes', '--databases'])
      t.equal(result.code, 0, result.stderr)
      await showEverything(t, machine, client)
      await t.test('applications work as listed', t => showApplications(t, machine, client))
      await t.test('websites run two versions of PHP', t => showTwoVersions(t, machine, client))
    },
  }),
)
