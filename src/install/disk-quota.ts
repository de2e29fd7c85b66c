import { readFileSync, realpathSync } from 'node:fs'
import type { InstallStep } from './plan.ts'

/** Reports the remaining steps for disk limits; nothing is remounted under running programs. */
export const quotaStep: InstallStep = {
  name: 'quota',
  does: () => 'Check whether the file system of /home has disk quotas',
  async act({ machine }) {
    const problem = await machine.quota.whyNone()
    if (problem === undefined || problem === null) return undefined
    const [first, then] = quotaInstructions()
    return `Disk limits are not enforced: ${problem}.\n1. ${first}\n2. ${then}`
  },
}

/**
 * Returns the change and the command that the administrator has to make for limits to be enforced.
 */
export function quotaInstructions(): readonly [first: string, then: string] {
  const { type, path } = homesFileSystem()
  if (type === 'xfs') {
    const option = path === '/' ? 'rootflags=uquota to GRUB_CMDLINE_LINUX' : 'uquota to its line'
    const file = path === '/' ? '/etc/default/grub, and run update-grub' : '/etc/fstab'
    return [`Add ${option} in ${file}.`, 'systemctl reboot']
  }
  if (/^ext[34]$/.test(type)) {
    return [`Add usrquota to the options of ${path} in /etc/fstab.`, 'systemctl reboot']
  }
  const words = `Put /home on a file system with quotas (ext4 or XFS); this is ${type}.`
  return [words, 'panel install']
}

function homesFileSystem(): { type: string; path: string } {
  const home = realpathSync('/home')
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .map(([, path = '', type = '']) => ({ path, type }))
    .filter(({ path }) => path === '/' || home === path || home.startsWith(`${path}/`))
  return mounts.reduce((best, one) => (one.path.length >= best.path.length ? one : best))
}
