import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Test } from 'tap'

// A name server on loopback that answers with a test's own zone (RFC 1035).

export type Zone = Record<string, string[] | 'servfail' | 'silent'>

const types = { A: 1, CNAME: 5, MX: 15, TXT: 16, AAAA: 28 }
const codes = { ok: 0, servfail: 2, unknown: 3 }

/**
 * Names with their addresses, or records as `MX 10 name` and `TXT text`; `CNAME name` as the only
 * entry sends on to another name.
 *
 * @returns the server as a resolver takes it
 */
export async function nameServer(t: Test, zone: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const [name, end] = readName(query)
    const type = query.readUInt16BE(end)
    const found = zone[name]
    if (found === 'silent') return
    const records = found === undefined || found === 'servfail' ? [] : resolve(zone, name, type)
    const code =
      found === undefined ? codes.unknown : found === 'servfail' ? codes.servfail : codes.ok
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // A recursive server's answer to one question.
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}

function resolve(zone: Zone, name: string, type: number): Buffer[] {
  const found = zone[name]
  if (!Array.isArray(found)) return []
  const [alias] = found.flatMap(entry => entry.match(/^CNAME (.*)$/)?.[1] ?? [])
  if (alias !== undefined) {
    return [record(name, types.CNAME, writeName(alias)), ...resolve(zone, alias, type)]
  }
  if (type === types.MX) {
    return found.flatMap(entry => {
      const [, priority, exchange = ''] = /^MX (\d+) (.*)$/.exec(entry) ?? []
      if (priority === undefined) return []
      const data = Buffer.from([Number(priority) >> 8, Number(priority) & 255])
      return [record(name, type, Buffer.concat([data, writeName(exchange)]))]
    })
  }
  if (type === types.TXT) {
    return found.flatMap(entry =>
      entry.startsWith('TXT ') ? [record(name, type, writeText(entry.slice(4)))] : [],
    )
  }
  const desired = found.filter(
    address =>
      !/^(MX|TXT) /.test(address) && type === (address.includes(':') ? types.AAAA : types.A),
  )
  return desired.map(address => record(name, type, bytesOf(address)))
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([writeName(name), fixed, data])
}

function readName(query: Buffer): [name: string, end: number] {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return [labels.join('.').toLowerCase(), at + 1]
}

const writeName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split('.')
      .filter(Boolean)
      .map(label => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

// In strings of at most 255 bytes.
function writeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  const parts = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, index) =>
    bytes.subarray(index * 255, (index + 1) * 255),
  )
  return Buffer.concat(parts.flatMap(part => [Buffer.from([part.length]), part]))
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = [], tail = []] = address.split('::').map(part => part.split(':').filter(Boolean))
  const gap = Array<string>(8 - head.length - tail.length).fill('0')
  return Buffer.from(
    [...head, ...gap, ...tail].map(group => group.padStart(4, '0')).join(''),
    'hex',
  )
}
