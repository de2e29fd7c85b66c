import { once } from 'node:events'
import { Agent } from 'undici'

// The floor of sending webhooks: a loop that posts the same bodies to the same receiver from
// memory, without queue, signature and record. `post.ts PORT COUNT BODY` starts at each message
// of its parent, and answers with how long it took.

const inFlight = 64

const [port, count, body = ''] = process.argv.slice(2)
const origin = `http://127.0.0.1:${port}`
const agent = new Agent({ connections: inFlight, pipelining: 1 })
const headers = ['Content-Type', 'application/json']

const post = () =>
  new Promise<void>((resolve, reject) => {
    agent.dispatch(
      { origin, path: '/', method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

async function run(): Promise<number> {
  const begunAt = performance.now()
  let left = Number(count)
  const lanes = Array.from({ length: inFlight }, async () => {
    while (left-- > 0) await post()
  })
  await Promise.all(lanes)
  return performance.now() - begunAt
}

process.on('message', () => {
  void run().then(durationMs => process.send!({ durationMs }))
})
process.send!('ready')
await once(process, 'disconnect')
process.exit(0)
