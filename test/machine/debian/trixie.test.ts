import t from 'tap'
import { installByAnswers } from '../first-install.ts'
import { showInstalled } from '../install-suite.ts'
import { showUpdateAndRollback } from '../update-suite.ts'

t.test('a panel is installed on Debian 13, which loses its power meanwhile', t =>
  showInstalled(t, 'trixie', {
    databases: true,
    installFirst: installByAnswers,
    kill: async machine => {
      await machine.cut()
      await machine.boot()
    },
    afterwards: showUpdateAndRollback,
  }),
)
