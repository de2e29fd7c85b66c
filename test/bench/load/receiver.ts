import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The receiver of webhooks: reads the body and answers 204, but for paths below /hang, which get no
// answer.

const server = createServer((request, response) => {
  request.resume()
  if (request.url?.startsWith('/hang')) return
  request.on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ message: 'receiver ready', address })}\n`)
process.on('SIGTERM', () => process.exit(0))
