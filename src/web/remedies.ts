import type { Concern } from '../model/server/concerns.ts'
import {
  isRunOf,
  type Remedy,
  type RemedyName,
  type RemedyPage,
  type RemedyRun,
  remedyWrites,
} from '../model/server/remedies.ts'
import type { OperationName } from '../model/operations/operation-names.ts'
import { t, type PlainKey } from './texts/texts.ts'

// The remedies of findings as buttons and links, and what became of them in words.

/** The address of the form of a remedy. */
export const remedyPath = <Name extends RemedyName>(name: Name) =>
  `/server/remedies/${name}` as const

/** A button, which posts its fields, or a link. */
export type RemedyView = { label: string; icon?: string; look?: string } & (
  { post: string; fields?: Record<string, string> } | { address: string }
)

/** The views of a finding: buttons and links, and commands for root. */
type Views = { views: RemedyView[]; commands: string[] }

const links: Record<RemedyPage, { label: PlainKey; address: string }> = {
  'failed-jobs': { label: 'remedies.viewFailedJobs', address: '/jobs?state=failed' },
  'failed-deliveries': {
    label: 'remedies.viewFailedDeliveries',
    address: '/hooks?state=failed',
  },
  'failed-hook-runs': {
    label: 'remedies.viewFailedScripts',
    address: '/jobs?state=failed&kind=hook%20run',
  },
  'waiting-jobs': { label: 'remedies.viewWaitingJobs', address: '/jobs?state=queued,blocked' },
  'running-jobs': { label: 'remedies.viewRunningJobs', address: '/jobs?state=running' },
  deliveries: { label: 'remedies.viewDeliveries', address: '/hooks' },
  webhooks: { label: 'remedies.viewWebhooks', address: '/hooks/webhooks' },
  accounts: { label: 'remedies.viewAccounts', address: '/accounts' },
  'shared-parents': {
    label: 'remedies.viewSharedParents',
    address: '/server/settings/shared-parents',
  },
  'mail-relay': { label: 'remedies.viewMailRelay', address: '/server/settings/mail-relay' },
  'paused-tasks': { label: 'remedies.viewPausedTasks', address: '/jobs/stats' },
  'largest-accounts': {
    label: 'remedies.viewLargestAccounts',
    address: '/accounts?sort=-disk',
  },
}

// Returns the view of a finding of rows without remedies.
function viewOfNone({ about, address }: Concern & { address: string }): RemedyView {
  if ('webhook' in about) return { label: t('remedies.viewWebhook'), address }
  if ('account' in about) return { label: t('remedies.viewAccount'), address }
  // Everything else of the server can be seen by its checks only.
  if (about.list === 'accounts') return { label: t('remedies.viewAccounts'), address }
  return { label: t('remedies.checkAgain'), icon: 'refresh-cw', post: '/server/recheck' }
}

function toView(remedy: Exclude<Remedy, { do: 'run' }>): RemedyView {
  switch (remedy.do) {
    case 'view': {
      const { label, address } = links[remedy.page]
      return { label: t(label), address }
    }
    case 'view-site': {
      const { username, domain } = remedy
      return {
        label: t('remedies.viewDomain', { domain }),
        address: `/accounts/${encodeURIComponent(username)}/sites/${encodeURIComponent(domain)}`,
      }
    }
    case 'back-up':
      // It asks for the passphrase first.
      return { label: t('remedies.backUpNow'), icon: 'archive', address: remedyPath('back-up') }
    case 'empty-trash':
      // It destroys, and asks first.
      return { label: t('remedies.deleteKeptFiles'), address: remedyPath('empty-trash') }
    case 'start-service':
      return button(remedy, t('remedies.startService', { service: remedy.service }), 'play', {
        service: remedy.service,
      })
    case 'rebuild-account':
      return button(
        remedy,
        t('remedies.rebuildUsername', { username: remedy.username }),
        'wrench',
        { username: remedy.username },
      )
    case 'recheck-site': {
      const { username, domain } = remedy
      return button(remedy, t('remedies.renewCertificate'), 'refresh-cw', { username, domain })
    }
    case 'rebuild-server':
      return button(remedy, t('remedies.rebuild'), 'wrench')
    case 'repair':
      return button(remedy, t('remedies.repair'), 'wrench')
  }
}

function viewsOf(
  concern: Concern & { address: string },
  remedies: readonly Remedy[],
  idle: readonly Remedy[],
): Views {
  if (remedies.length === 0) return { views: [viewOfNone(concern)], commands: [] }
  return {
    views: idle.flatMap(remedy => (remedy.do === 'run' ? [] : toView(remedy))),
    commands: idle.flatMap(remedy => (remedy.do === 'run' ? remedy.command : [])),
  }
}

const button = (
  { do: name }: { do: RemedyName },
  label: string,
  icon: string,
  fields: Record<string, string> = {},
): RemedyView => ({ label, icon, post: remedyPath(name), fields })

type Words = Record<RemedyRun['state'], (of: string) => string>

const wordsByRemedy: Record<RemedyName, Words> = {
  'start-service': {
    'in progress': of => t('remedies.startingOf', { of }),
    done: of => t('remedies.ofWasStarted', { of }),
    failed: of => t('remedies.ofDidNotStart', { of }),
  },
  'rebuild-account': {
    'in progress': of => t('remedies.rebuildingOf', { of }),
    done: of => t('remedies.ofWasRebuilt', { of }),
    failed: of => t('remedies.ofWasNotRebuilt', { of }),
  },
  'recheck-site': {
    'in progress': of => t('remedies.requestingCertificateOf', { of }),
    done: of => t('remedies.certificateOfOrderedIf', { of }),
    failed: of => t('remedies.noCertificateWasRequested', { of }),
  },
  'rebuild-server': {
    'in progress': () => t('remedies.rebuildingWhatAllWebsites'),
    done: () => t('remedies.whatAllWebsitesShare'),
    failed: () => t('remedies.whatAllWebsitesShareWasNot'),
  },
  repair: {
    'in progress': () => t('remedies.repairingPanelsFiles'),
    done: () => t('remedies.panelsFilesWereRepaired'),
    failed: () => t('remedies.panelsFilesWereNot'),
  },
  'back-up': {
    'in progress': () => t('remedies.backingUp'),
    done: () => t('remedies.serverWasBackedUp'),
    failed: () => t('remedies.serverWasNotBackedUp'),
  },
  'empty-trash': {
    'in progress': () => t('remedies.deletingKeptFilesTerminated'),
    done: () => t('remedies.keptFilesTerminatedAccounts'),
    failed: () => t('remedies.notAllKeptFiles'),
  },
}

const wordsByOperation = new Map<OperationName, Words>(
  Object.entries(remedyWrites).map(([name, { name: operation }]) => [
    operation,
    wordsByRemedy[name as RemedyName],
  ]),
)

/** A run in words. */
export type RunView = { id: string; state: RemedyRun['state']; sentence: string; at: Date }

const toRunView = ({ id, name, state, username, subject, ...run }: RemedyRun): RunView => ({
  id,
  state,
  sentence: wordsByOperation.get(name)?.[state](subject ?? username ?? '') ?? name,
  at: run.finished_at ?? run.created_at,
})

/**
 * Adds to each concern its buttons and links and the latest run of each, and returns the runs of
 * remedies whose findings are gone.
 *
 * @param isOffered returns whether a remedy can do anything now
 * @param checkedAt when the findings were made: what has ended since then is not tried again before
 *   another check
 */
export function withRemedies<Of extends Concern & { address: string }>(
  concerns: readonly Of[],
  runs: readonly RemedyRun[],
  isOffered: (remedy: Remedy) => boolean,
  checkedAt: Date | null,
) {
  const isOpen = ({ state, finished_at }: RemedyRun) =>
    state === 'in progress' ||
    (state === 'done' && finished_at !== null && checkedAt !== null && finished_at > checkedAt)
  const used = new Set<RemedyRun>()
  const shown = concerns.map(concern => {
    const remedies = concern.remedies?.filter(isOffered) ?? []
    const own = runs.filter(run => remedies.some(remedy => isRunOf(run, remedy)))
    for (const run of own) used.add(run)
    const isBusy = (remedy: Remedy) => own.some(run => isOpen(run) && isRunOf(run, remedy))
    return {
      ...concern,
      ...viewsOf(
        concern,
        remedies,
        remedies.filter(remedy => !isBusy(remedy)),
      ),
      runs: own.map(toRunView),
    }
  })
  return {
    concerns: shown,
    others: runs.filter(run => !used.has(run)).map(toRunView),
    /** The runs as a screen reader hears them, the latest first. */
    sentences: runs.map(run => toRunView(run).sentence),
  }
}
