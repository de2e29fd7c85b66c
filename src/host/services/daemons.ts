import type { Machine, Service } from '../contract.ts'
import { readFile } from '../tools/files.ts'
import { readOfProcess } from '../tools/processes.ts'

const daemons: Record<Service, { file: string; title: string }> = {
  nginx: { file: '/run/nginx.pid', title: 'nginx: master process' },
  // The title is what it was started with, or what it has renamed itself to.
  ssh: { file: '/run/sshd.pid', title: 'sshd: ' },
}

/** The number of the process that is a service; undefined where none runs. */
export function daemonOf(machine: Machine, service: Service): number | undefined {
  const { file, title } = daemons[service]
  const pid = Number(readFile(machine.path(file))?.trim())
  // A number in a file that was left behind may be another process's by now.
  const found = readOfProcess(pid, 'cmdline').replace(/^\/usr\/sbin\//, '')
  return found.startsWith(title) ? pid : undefined
}
