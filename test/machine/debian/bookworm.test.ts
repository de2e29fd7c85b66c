import t from 'tap'
import { installByOptions } from '../first-install.ts'
import { showInstalled } from '../install-suite.ts'

t.test('Debian 12, whose installer is killed', t =>
  showInstalled(t, 'bookworm', {
    databases: false,
    installFirst: installByOptions,
    kill: (_machine, stop) => stop(),
  }),
)
