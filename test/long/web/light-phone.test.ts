import t from 'tap'
import { withoutChromium } from '../../web/chromium.ts'
import { lookAtAll } from './fixtures/look.ts'

t.test('every page is fit for all eyes on a phone in light', { skip: withoutChromium }, t =>
  lookAtAll(t, 'light', [360]),
)
