import t from 'tap'
import { stepsOf } from '../../src/install/update/steps.ts'

const namesOf = (restoresDatabase: boolean) =>
  stepsOf({ kind: 'rollback', to: '0.1.0', manifest: null, restoresDatabase }).map(
    ({ name }) => name,
  )

t.test('a rollback checks and dumps only after all writers have stopped', t => {
  const [before, after] = [
    ['prepare', 'drain', 'stop', 'work'],
    ['migrate', 'switch', 'restart', 'health', 'keep'],
  ]
  t.strictSame(namesOf(false), [...before, ...after])
  t.strictSame(namesOf(true), [...before, 'dump', 'restore', ...after])
  t.end()
})
