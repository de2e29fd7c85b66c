import { openPanelSide } from '../linux/side.ts'
import { inTurns, decide, type Row } from '../row.ts'

// `panel ctl rebuild` of 1,000 accounts with a website each, whose links for nginx and files of
// PHP are all gone, against a program that has the 4,000 texts and targets, and writes and tests.
// Both run in the same throw-away copy of this machine, with real systemd, nginx and PHP; root
// only. Measured is each side's process from its start until PHP that ran, of some of the
// accounts, has ended, as the next visitor starts it with its new file. As all files of such a
// copy are in memory, the disk's time to sync files counts for neither side.

const accounts = 1_000
const visited = 20
const rounds = 5

const measure: Row = async bench => {
  await using side = await openPanelSide(bench, 'rebuild')
  await side.ask({ others: accounts - visited })
  await side.ask({ creates: visited, inFlight: 4 })
  const figures = await inTurns(rounds, {
    floor: async () => (await side.ask({ rebuild: 'floor', visited })).ms,
    ours: async () => (await side.ask({ rebuild: 'ours', visited })).ms,
  })
  const what = `rebuild of ${accounts} sites`
  return [decide({ what, unit: 'ms', bound: { oursMax: 10_000 } }, figures, ms => ms)]
}

export default measure
