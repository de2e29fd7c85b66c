import { countConcerns, listConcerns } from '../../../model/server/concerns.ts'
import {
  askForSnapshot,
  readServerRows,
  readSnapshot,
} from '../../../model/server/server-snapshot.ts'
import { withAddress } from '../../concerns.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying, page } from '../../page.ts'
import { tabs } from './tabs.ts'

/** /server: how the machine is, as root has found it the last time. */
export const health = page({
  path: '/server',
  roles: administrators,
  navigation: { label: 'Server', icon: 'server' },
  async load({ pool }) {
    const [snapshot, rows, concerns] = await Promise.all([
      readSnapshot(pool),
      readServerRows(pool),
      listConcerns(pool),
    ])
    const checks = snapshot.content?.checks ?? []
    return {
      tabs,
      snapshot,
      rows,
      concerns: concerns.map(withAddress),
      counted: countConcerns(concerns),
      groups: [...Map.groupBy(checks, ({ name }) => name.split('/')[0])],
      license: checks.filter(
        ({ name, state }) => name.startsWith('license/') && state !== 'skipped',
      ),
    }
  },
  template: 'pages/server/health',
})

/** /server/look: has root look once more. */
export const recheck = form({
  path: '/server/look',
  roles: administrators,
  title: () => 'Check the server',
  parent: () => '/server',
  fields: {},
  load: async () => ({
    words: ['Runs all checks of this page again, which takes a few seconds.'],
  }),
  submit: 'Check now',
  async act({ pool, wiring }) {
    await askForSnapshot(pool)
    return goToSaying('/server', 'The server is being checked; results appear in a moment.', wiring)
  },
})
