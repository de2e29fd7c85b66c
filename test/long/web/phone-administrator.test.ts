import t from 'tap'
import { tours } from '../../screenshots/places.ts'
import { withoutChromium } from '../../support/web/chromium.ts'
import { lookAt } from '../../support/web/pages/look.ts'

t.test(
  'every page of an administrator is fit for all eyes on a phone',
  { skip: withoutChromium },
  t =>
    lookAt(
      t,
      tours.filter(({ who }) => who === 'admin'),
      [360],
    ),
)
