import { request, startGenerator } from '../load/load.ts'
import { as, makeDatabase, openPanel } from '../panel.ts'
import { start } from '../processes.ts'
import { inTurns, decide, type Row } from '../row.ts'

// Alternating suspend and unsuspend through the queue, one account a connection, on the sandbox
// host, against the same durable steps around a task that does nothing.

const rounds = 5
const durationMs = 2_500
const tokensEach = 16

const measure: Row = async bench => {
  await using panel = await openPanel(bench, 'suspend', { tokens: 256, accounts: 16 })
  const args = [as('panel_owner', await makeDatabase(bench, 'operation_floor'))]
  await using floor = await start('test/bench/floor/operation.ts', { args })
  await using _worker = await start('test/bench/floor/operation-worker.ts', { args })
  await using generator = startGenerator()

  const lanes = panel.accounts.map((username, lane) =>
    panel.tokens.slice(lane * tokensEach, (lane + 1) * tokensEach).flatMap(token => {
      const path = `/api/v1/accounts/${username}`
      return [
        request('POST', `${path}/suspend`, token, { reason: 'Invoice 4711 is overdue' }),
        request('POST', `${path}/unsuspend`, token, {}),
      ]
    }),
  )
  const inFlight = (count: number) => {
    const side = (port: number) => () =>
      generator.run({ port, durationMs, lanes: lanes.slice(0, count) })
    return inTurns(rounds, { floor: side(floor.port), ours: side(panel.api.port) })
  }
  const alone = await inFlight(1)
  const many = await inFlight(lanes.length)
  const what = (count: number) => `POST suspend/unsuspend, ${count} in flight`
  const half = { unit: 'requests/s', bound: { atLeast: 0.5 } }
  const twice = { unit: 'ms (p50)', bound: { atMost: 2 } }
  return [
    decide({ what: what(1), ...twice }, alone, round => round.p50Ms),
    decide({ what: what(lanes.length), ...twice }, many, round => round.p50Ms),
    decide({ what: what(lanes.length), ...half }, many, round => round.perSecond),
  ]
}

export default measure
