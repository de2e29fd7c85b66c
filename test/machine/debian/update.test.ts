import t from 'tap'
import { showUpdates } from '../update-suite.ts'

t.test('a panel on Debian 12 is updated and rolled back', t => showUpdates(t, 'bookworm'))
