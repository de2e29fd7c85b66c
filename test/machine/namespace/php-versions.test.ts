import { readFileSync } from 'node:fs'
import t from 'tap'
import { openLinuxPanel, startServices } from '../machine.ts'
import { showVersions } from '../php-versions.ts'

// PHP of several versions, where the worker runs the masters itself.

startServices('nginx')
const panel = await openLinuxPanel(t)

t.test('two versions run next to each other', t =>
  showVersions(t, panel, {
    isIn: (pid, uid) => readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`panel-${uid}`),
  }),
)
