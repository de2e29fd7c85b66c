import { randomUUID } from 'node:crypto'
import { median } from '../row.ts'
import { openConnection } from './connection.ts'
import { freshKey, type Load, type LoadJob } from './job.ts'

// The load generator, a process of its own and the same for both sides.

process.on('disconnect', () => process.exit(0))

process.on('message', (job: LoadJob) => {
  run(job).then(
    load => process.send!({ load }),
    (error: Error) => process.send!({ error: error.message }),
  )
})

async function run({ port, durationMs, lanes }: LoadJob): Promise<Load> {
  const connections = await Promise.all(lanes.map(() => openConnection(port)))
  const latencies: number[] = []
  const end = performance.now() + durationMs
  // Requests of a lane after the end, to reach an even number, are not counted.
  await Promise.all(
    lanes.map(async (requests, lane) => {
      const { send } = connections[lane]!
      for (let sent = 0; sent % 2 === 1 || performance.now() < end; sent++) {
        const request = requests[sent % requests.length]!
        const text = request.includes(freshKey) ? request.replace(freshKey, randomUUID()) : request
        const begunAt = performance.now()
        const status = await send(text)
        // A search leads on, with 303.
        if (status >= 400) throw new Error(`Answered ${status}: ${text.split('\r\n', 1)[0]}`)
        const answeredAt = performance.now()
        if (answeredAt <= end) latencies.push(answeredAt - begunAt)
      }
    }),
  )
  for (const { close } of connections) close()
  return { perSecond: latencies.length / (durationMs / 1000), p50Ms: median(latencies) }
}
