import { readFileSync, realpathSync } from 'node:fs'
import type { InstallStep } from './plan.ts'

/** Says what is left to do for disk limits; nothing is mounted anew under running programs. */
export const quotaStep: InstallStep = {
  name: 'quota',
  does: () => 'Look whether the file system of /home keeps quotas',
  async act({ machine }) {
    const problem = await machine.quota.whyNone()
    if (problem === undefined || problem === null) return undefined
    return `Disk limits are not enforced: ${problem}.\n${whatIsLeft()}`
  },
}

// Each in two lines: what to write, and what to do then.
function whatIsLeft(): string {
  const { type, place } = homesFileSystem()
  if (type === 'xfs') {
    const option = place === '/' ? 'rootflags=uquota to GRUB_CMDLINE_LINUX' : 'uquota to its line'
    const file = place === '/' ? '/etc/default/grub, and run update-grub' : '/etc/fstab'
    return `1. Add ${option} in ${file}.\n2. systemctl reboot`
  }
  if (/^ext[34]$/.test(type)) {
    return `1. Add usrquota to the options of ${place} in /etc/fstab.\n2. systemctl reboot`
  }
  const kinds = 'ext4 or XFS'
  return `1. Put /home on a file system with quotas (${kinds}); this is ${type}.\n2. panel install`
}

function homesFileSystem(): { type: string; place: string } {
  const home = realpathSync('/home')
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .map(([, place = '', type = '']) => ({ place, type }))
    .filter(({ place }) => place === '/' || home === place || home.startsWith(`${place}/`))
  return mounts.reduce((best, one) => (one.place.length >= best.place.length ? one : best))
}
