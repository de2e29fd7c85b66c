import t from 'tap'
import { tours } from '../../screenshots/paths.ts'
import { withoutChromium } from '../../support/web/chromium.ts'
import { readState } from '../../support/web/pages/look.ts'

t.test(
  'every page of an administrator is fit for all eyes at a desk',
  { skip: withoutChromium },
  t =>
    readState(
      t,
      tours.filter(({ who }) => who === 'admin'),
      [1_440, 768],
    ),
)
