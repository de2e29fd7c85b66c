import t from 'tap'
import { tours } from '../../screenshots/paths.ts'
import { withoutChromium } from '../../support/web/chromium.ts'
import { readState } from '../../support/web/pages/look.ts'

t.test(
  'every page of everybody else is fit for all eyes on a phone',
  { skip: withoutChromium },
  t =>
    readState(
      t,
      tours.filter(({ who }) => who !== 'admin'),
      [360],
    ),
)
