import t from 'tap'
import { tours } from '../../screenshots/places.ts'
import { withoutChromium } from '../../web/chromium.ts'
import { lookAt } from './fixtures/look.ts'

t.test(
  'every page of everybody else is fit for all eyes on a phone',
  { skip: withoutChromium },
  t =>
    lookAt(
      t,
      tours.filter(({ who }) => who !== 'admin'),
      [360],
    ),
)
