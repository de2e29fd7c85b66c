import { listConcerns, listFullAccounts } from '../../model/server/concerns.ts'
import { howToLicense } from '../../model/server/license.ts'
import { findNewer } from '../../model/server/newest-release.ts'
import { readOverview, readPlanUse, type Overview } from '../../model/server/overview.ts'
import * as packages from '../../model/sellers/packages.ts'
import { readSnapshot } from '../../model/server/server-snapshot.ts'
import { listShown } from '../../model/operations/shown-operations.ts'
import { withAddress } from '../concerns.ts'
import { operators, page, type Asked } from '../page.ts'
import { whyUnlicensed } from '../unlicensed.ts'
import { optionsForNew } from './accounts/package-options.ts'
import { t } from '../texts/texts.ts'

/** /overview: the server for administrators, their plan for resellers. */
export const overview = page({
  path: '/overview',
  roles: operators,
  navigation: { label: 'panel.overview', icon: 'house' },
  load: asked => (asked.caller.role === 'administrator' ? ofServer(asked) : ofPlan(asked)),
  template: 'pages/overview',
})

async function ofServer({ pool, caller, wiring }: Asked<'/overview'>) {
  const [server, snapshot, concerns, jobs, newer, { why, link }] = await Promise.all([
    readOverview(pool),
    readSnapshot(pool),
    listConcerns(pool),
    listShown(pool, caller, { limit: 8 }),
    findNewer(pool, wiring.about.version),
    optionsForNew({ pool, caller, wiring }),
  ])
  const unlicensed = whyUnlicensed(wiring)
  const isOwn = wiring.maySignLicense
  const steps = stepsOf(server, { isLicensed: unlicensed === undefined, isOwn, why })
  return {
    server,
    why,
    // The first steps say what is to be done about the others.
    notice: unlicensed === undefined && link === undefined ? why : undefined,
    measured: snapshot.content,
    newer,
    concerns: concerns.map(withAddress),
    jobs,
    steps: steps.every(({ isDone }) => isDone) ? [] : steps,
    minutes: barsOf(server.minutes ?? [], 60, 60_000, one => [one.ended, one.failed]),
    deliveries: barsOf(server.deliveries ?? [], 24, 3_600_000, one => [
      one.delivered + one.failed,
      one.failed,
    ]),
  }
}

async function ofPlan({ pool, caller, wiring }: Asked<'/overview'>) {
  const [use, full, catalogue, jobs, { why, link }] = await Promise.all([
    readPlanUse(pool, caller),
    listFullAccounts(pool, caller),
    packages.list(pool, caller),
    listShown(pool, caller, { limit: 8 }),
    optionsForNew({ pool, caller, wiring }),
  ])
  const notice = link === undefined ? why : undefined
  return { use, why, notice, concerns: full.map(withAddress), catalogue, jobs }
}

// A new server's first steps, which tick themselves off.
const stepsOf = (
  { packages, accounts, webhooks, used_tokens }: Overview,
  license: { isLicensed: boolean; isOwn: boolean; why: string | undefined },
) => [
  {
    isDone: license.isLicensed,
    title: t('panel.installLicense'),
    why: t('panel.noAccountCanCreated', { howToLicense: howToLicense(license.isOwn) }),
    address: '/server',
  },
  {
    isDone: packages > 0,
    title: t('panel.createPackage'),
    why: t('panel.setsHowMuchServer'),
    address: '/packages/new',
  },
  {
    isDone: accounts > 0,
    title: t('panel.createAnAccount'),
    why: t('panel.websiteSftpPhpReady'),
    address: license.why === undefined ? '/accounts/new' : undefined,
  },
  {
    isDone: used_tokens > 0,
    title: t('panel.connectYourBillingSystem'),
    why: t('panel.useModuleWhmcsBlesta'),
    address: '/my-account/tokens',
  },
  {
    isDone: webhooks > 0,
    title: t('panel.addWebhook'),
    why: t('panel.notifiesOtherSystemsEvents'),
    address: '/hooks',
  },
]

// One bar for each of the last so many minutes or hours, also where nothing has happened.
function barsOf<One extends { at: string }>(
  given: One[],
  many: number,
  eachMs: number,
  read: (one: One) => [value: number, bad: number],
) {
  const known = new Map(given.map(one => [Math.floor(Date.parse(one.at) / eachMs), one]))
  const last = Math.floor(Date.now() / eachMs)
  return Array.from({ length: many }, (_, index) => {
    const slot = last - many + 1 + index
    const one = known.get(slot)
    const [value, bad] = one === undefined ? [0, 0] : read(one)
    const time = new Date(slot * eachMs).toISOString().slice(11, 16)
    const title = t('panel.endedAndFailedAt', {
      time,
      ended: value,
      hasFailed: bad > 0 ? 'yes' : 'no',
      failed: bad,
    })
    return { label: t('panel.timeUtc', { time }), short: time, value, bad, title }
  })
}
