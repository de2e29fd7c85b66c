import type { Machine, Service } from '../contract.ts'
import { readFile } from '../tools/files.ts'
import { readOfProcess } from '../tools/processes.ts'

const daemons: Record<Service, { file: string; title: string }> = {
  nginx: { file: '/run/nginx.pid', title: 'nginx: master process' },
  // The title is the command that started it, or the name that it has given itself.
  ssh: { file: '/run/sshd.pid', title: 'sshd: ' },
}

/** Returns the process id of a service; undefined if it is not running. */
export function daemonOf(machine: Machine, service: Service): number | undefined {
  const { file, title } = daemons[service]
  const pid = Number(readFile(machine.path(file))?.trim())
  // An id in a stale file may belong to another process by now.
  const found = readOfProcess(pid, 'cmdline').replace(/^\/usr\/sbin\//, '')
  return found.startsWith(title) ? pid : undefined
}
