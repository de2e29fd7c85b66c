import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** Returns the name of the program that listens on a TCP port; undefined if none does. */
export function listenerOn(port: number): string | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(file => socketsIn(file, port))
  if (sockets.length === 0) return undefined
  return nameOfListener(new Set(sockets.map(inode => `socket:[${inode}]`))) ?? 'another program'
}

// proc(5): number, local address:port, remote address, state (0A is listening), and as the tenth
// field the inode.
function socketsIn(file: string, port: number): string[] {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return read(file)
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(end) && state === '0A')
    .map(fields => fields[9] ?? '')
}

function nameOfListener(links: ReadonlySet<string>): string | undefined {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    if (descriptorsOf(pid).some(link => link !== undefined && links.has(link)))
      return programOf(pid)
  }
  return undefined
}

// Some programs rename their threads, so thread names are not used.
function programOf(pid: string): string | undefined {
  const program = targetOf(`/proc/${pid}/exe`)
  return program && basename(program)
}

function descriptorsOf(pid: string): (string | undefined)[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map(name => targetOf(`/proc/${pid}/fd/${name}`))
  } catch {
    // It has ended meanwhile, or is another user's.
    return []
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    // Closed by now, like the descriptor that read the folder.
    return undefined
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
