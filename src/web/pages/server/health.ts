import {
  findKept,
  listRemedyRuns,
  type Remedy,
  type RemedyRun,
} from '../../../model/server/remedies.ts'
import { countConcerns, listConcerns } from '../../../model/server/concerns.ts'
import {
  askForSnapshot,
  readServerRows,
  readSnapshot,
} from '../../../model/server/server-snapshot.ts'
import { getShown } from '../../../model/operations/shown-operations.ts'
import { withAddress } from '../../concerns.ts'
import { withRemedies } from '../../remedies.ts'
import { attention } from '../../words.ts'
import { form } from '../../form.ts'
import { administrators, goToSaying, page, type PageRequest } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { tabs } from './tabs.ts'

/** /server: how the machine is, as root has found it the last time. */
export const health = page({
  path: '/server',
  roles: administrators,
  navigation: { label: 'server.server', icon: 'server' },
  async load({ pool, caller }) {
    const [snapshot, rows, concerns, runs, kept] = await Promise.all([
      readSnapshot(pool),
      readServerRows(pool),
      listConcerns(pool),
      listRemedyRuns(pool),
      findKept(pool),
    ])
    const isOffered = (remedy: Remedy) => remedy.do !== 'empty-trash' || kept.names.length > 0
    const shown = withRemedies(concerns.map(withAddress), runs, isOffered, snapshot.taken_at)
    // Shows the effect of a remedy at once, before the check of the next minute.
    const isNewer = runs.some(run => run.finished_at && run.finished_at > (snapshot.taken_at ?? 0))
    if (isNewer && !snapshot.is_awaited) await askForSnapshot(pool)
    const checks = snapshot.content?.checks ?? []
    return {
      tabs: tabs(),
      snapshot,
      rows,
      concerns: shown.concerns.map(concern => ({
        ...concern,
        isHere: 'list' in concern.about && concern.about.list === 'server',
      })),
      isBusy: snapshot.is_awaited || runs.some(({ state }) => state === 'in progress'),
      says: [attention(concerns.length), ...shown.sentences].join('. '),
      others: shown.others,
      errors: await errorsOf({ pool, caller }, runs),
      counted: countConcerns(concerns),
      groups: [...Map.groupBy(checks, ({ name }) => name.split('/')[0])],
      license: checks.filter(
        ({ name, state }) => name.startsWith('license/') && state !== 'skipped',
      ),
    }
  },
  template: 'pages/server/health',
})

// Returns why each remedy failed, by the id of its operation.
const errorsOf = async (
  { pool, caller }: Pick<PageRequest, 'pool' | 'caller'>,
  runs: readonly RemedyRun[],
): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    await Promise.all(
      runs
        .filter(({ state }) => state === 'failed')
        .map(async ({ id }) => [id, (await getShown(pool, caller, id)).error] as const),
    ),
  )

/** /server/recheck: has root run the checks again. */
export const recheck = form({
  path: '/server/recheck',
  roles: administrators,
  title: () => t('server.checkServer'),
  parent: () => '/server',
  fields: {},
  load: async () => ({
    words: [t('server.runsAllChecksPage')],
  }),
  submit: 'server.checkNow',
  async act({ pool, wiring }) {
    await askForSnapshot(pool)
    return goToSaying('/server', t('server.serverBeingCheckedResults'), wiring)
  },
})
