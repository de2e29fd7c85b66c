import t from 'tap'
import { withoutChromium } from '../../web/chromium.ts'
import { lookAtAll } from './fixtures/look.ts'

t.test('every page is fit for all eyes at a desk in dark', { skip: withoutChromium }, t =>
  lookAtAll(t, 'dark', [1_440, 768]),
)
