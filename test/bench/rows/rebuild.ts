import { openPanelSide } from '../linux/side.ts'
import { inTurns, judge, type Row } from '../row.ts'

// `panel ctl rebuild` of 1,000 accounts with a website each, whose links for nginx and files of PHP
// are all gone, against a program that has the 4,000 texts and targets, and writes and tests. Both
// run in the same throw-away copy of this machine, with real nginx and a real PHP master for each
// account; root only. Measured is each side's process from start to end; our command ends when the
// worker has recorded all accounts. PHP masters reload one after the other after that, which
// counts for neither side; each round begins when they are done. As all files of such a copy are
// in memory, the disk's time to sync files counts for neither side either.

const accounts = 1_000
const rounds = 5

const measure: Row = async bench => {
  await using side = await openPanelSide(bench, 'rebuild')
  await side.ask({ others: accounts })
  const figures = await inTurns(rounds, {
    floor: async () => (await side.ask({ rebuild: 'floor' })).ms,
    ours: async () => (await side.ask({ rebuild: 'ours' })).ms,
  })
  const what = `rebuild of ${accounts} sites`
  return [judge({ what, unit: 'ms', bound: { atMost: 1.5 } }, figures, ms => ms)]
}

export default measure
