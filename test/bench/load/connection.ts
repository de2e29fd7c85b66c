import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A connection that sends one request at a time, as little of HTTP/1.1 as our answers need. */
export type Connection = {
  /** Sends a whole request and resolves to the status of its answer. */
  send: (request: string) => Promise<number>
  close: () => void
}

/** A bare socket costs a fraction of a real client's time, which would be the machine's. */
export async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let answered: PromiseWithResolvers<number> | undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const status = statusOfWhole(received)
    if (status === undefined) return
    received = ''
    answered?.resolve(status)
  })
  const broken = () => answered?.reject(new Error('The server has closed the connection'))
  socket.on('error', broken)
  socket.on('close', broken)
  return {
    send: request => {
      answered = Promise.withResolvers()
      socket.write(request, 'latin1')
      return answered.promise
    },
    close: () => socket.destroy(),
  }
}

// With one request at a time all received text is one answer, complete once it has the length that
// its head gives, or its last chunk.
function statusOfWhole(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = answer.slice(0, headEnd)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    return answer.endsWith('\r\n0\r\n\r\n') ? Number(answer.slice(9, 12)) : undefined
  }
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error('An answer without a Content-Length')
  if (answer.length < headEnd + 4 + Number(length)) return undefined
  return Number(answer.slice(9, 12))
}
