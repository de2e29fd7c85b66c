import t from 'tap'
import { showEverything } from '../every-operation.ts'
import { installByOptions } from '../first-install.ts'
import { showInstalled } from '../install-suite.ts'

t.test('Debian 12, whose installer is killed', t =>
  showInstalled(t, 'bookworm', {
    databases: false,
    installFirst: installByOptions,
    kill: (_machine, stop) => stop(),
    // Databases can be asked for later.
    async afterwards(t, machine, client) {
      const result = await machine.run(['panel', 'install', '--yes', '--databases'])
      t.equal(result.code, 0, result.stderr)
      await showEverything(t, machine, client)
    },
  }),
)
