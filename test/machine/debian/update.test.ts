import t from 'tap'
import { showUpdates } from '../update-suite.ts'

t.test('updates of Debian 12', t => showUpdates(t, 'bookworm'))
