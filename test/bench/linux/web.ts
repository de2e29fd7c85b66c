import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { basename } from 'node:path'
import { once } from 'node:events'
import { connect, type ConnectionOptions } from 'node:tls'
import { readOfProcess } from '../../../src/host/tools/processes.ts'
import { listProcesses } from '../../../src/host/accounts/user-processes.ts'
import { webServer } from '../../../src/host/accounts/users.ts'
import { at } from '../../../src/host/web/folders.ts'
import { openConnection } from '../load/connection.ts'
import { openBare } from './bare.ts'
import { certify } from './certificates.ts'
import { renderVhosts } from './vhosts.ts'

// Compares nginx's cost of a request where a website is a folder, and where it is a file of nginx's
// configuration, in one throw-away copy of this machine: both serve the same folder and the same
// PHP, under as many names.

export type AskedOfWeb = {
  web: 'floor' | 'ours'
  kind: keyof typeof paths | 'full handshake' | 'resumed handshake'
  count: number
}

/** The requests, by kind; a path that is no file goes to the website's front controller. */
const paths = { static: '/index.html', php: '/answer.php', front: '/2026/11/an-article' }

const names = 1_000
const nameOf = (index: number) => `site${index}.example`
const ports = { floor: { http: 8080, https: 8443 }, ours: { http: 80, https: 443 } }
const folder = '/etc/bench-nginx'
const atOnce = 8

await prepare()
process.stdout.write('"ready"\n')
for await (const line of createInterface(process.stdin)) {
  const { web, kind, count } = JSON.parse(line) as AskedOfWeb
  const before = cpuOfNginx(web)
  if (kind in paths) await request(web, paths[kind as keyof typeof paths], count)
  else await shake(web, kind, count)
  // Microseconds each.
  const ms = (1_000 * (cpuOfNginx(web) - before)) / count
  process.stdout.write(`${JSON.stringify({ ms })}\n`)
}
process.exit(0)

async function prepare(): Promise<void> {
  const uid = 20_000
  const [username, domain] = ['user20000', nameOf(0)]
  const { make } = await openBare('own')
  await make({ username, uid, domain, password: 'a password of the benchmark' })
  const place = `/home/${username}/sites/${domain}/public`
  for (const name of ['answer.php', 'index.php']) {
    writeFileSync(`${place}/${name}`, '<?php header("Content-Length: 2"); echo 6 * 7;')
    chownSync(`${place}/${name}`, uid, uid)
  }
  certify([domain])
  const proof = readFileSync(`${at('tls', domain)}`, 'utf8')
  const others = Array.from({ length: names - 1 }, (_, index) => nameOf(index + 1))
  for (const [index, name] of others.entries()) {
    symlinkSync(`../sites/${String(uid).padStart(10, '0')}`, at('names', name))
    const file = at('certs', `${String(uid + index + 1).padStart(10, '0')}.pem`)
    writeFileSync(file, proof, { mode: 0o640 })
    symlinkSync(`../certs/${basename(file)}`, at('tls', name))
  }
  execFileSync('chgrp', ['-R', webServer, at('certs', '')])
  mkdirSync(`${folder}/certs`, { recursive: true })
  for (const name of [domain, ...others]) writeFileSync(`${folder}/certs/${name}.pem`, proof)
  const text = renderVhosts({ names: [domain, ...others], place, uid, ports: ports.floor, folder })
  writeFileSync(`${folder}/nginx.conf`, text)
  execFileSync('nginx', ['-c', `${folder}/nginx.conf`], { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** The processor time that its workers have used, in milliseconds. */
function cpuOfNginx(web: AskedOfWeb['web']): number {
  const pid = readFileSync(web === 'ours' ? '/run/nginx.pid' : `${folder}/nginx.pid`, 'utf8').trim()
  const workers = listProcesses().filter(
    one => readOfProcess(one.pid, 'stat').split(' ')[3] === pid,
  )
  const nanoseconds = workers.map(one => Number(readOfProcess(one.pid, 'schedstat').split(' ')[0]))
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

async function request(web: AskedOfWeb['web'], path: string, count: number): Promise<void> {
  let sent = 0
  await together(async () => {
    const { send, close } = await openConnection(ports[web].http)
    while (sent < count) {
      const host = nameOf(sent++ % names)
      const status = await send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      if (status !== 200) throw new Error(`${host}${path}: ${status}`)
    }
    close()
  })
}

async function shake(web: AskedOfWeb['web'], kind: string, count: number): Promise<void> {
  const port = ports[web].https
  const isResumed = kind === 'resumed handshake'
  let done = 0
  await together(async () => {
    let session: Buffer | undefined
    const servername = nameOf(done % names)
    if (isResumed) session = (await shakeOnce({ port, servername })).session
    while (done < count) {
      const name = isResumed ? servername : nameOf(done % names)
      done++
      const asked = { port, servername: name, ...(session === undefined ? {} : { session }) }
      const { isReused } = await shakeOnce(asked)
      if (isReused !== isResumed) throw new Error(`It was no ${kind}`)
    }
  })
}

async function shakeOnce(options: ConnectionOptions) {
  // A session of TLS 1.3 comes after the handshake, and serves once.
  const socket = connect({ ...options, maxVersion: 'TLSv1.2', rejectUnauthorized: false })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  const ended = { session: socket.getSession(), isReused: socket.isSessionReused() }
  // A session that is broken off is forgotten.
  socket.resume().end()
  await once(socket, 'close')
  return ended
}

async function together(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, work))
}
