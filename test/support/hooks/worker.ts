import type { Host } from '../../../src/model/server/host.ts'
import { runProcess } from '../../../src/process.ts'
import { workerOn } from '../worker.ts'

// A worker as a process of its own: `worker.ts DATABASE_URL ROOT EVENT POINT` kills itself with
// SIGKILL at that point of an event's hook script `b`.
const [databaseUrl, root, fatalEvent, fatalPoint] = process.argv.slice(2)

const fatal = (host: Host): Pick<Host, 'findScripts' | 'runScript'> => ({
  *findScripts(event) {
    for (const script of host.findScripts(event)) {
      if (script.name === 'c') reach('b is recorded', event)
      yield script
    }
    reach('all are recorded', event)
  },
  async runScript(start) {
    if (!start.path.endsWith('/b')) return host.runScript(start)
    reach('b is about to start', start.event)
    const end = await host.runScript({
      ...start,
      async onStarted(leader) {
        reach('b has started', start.event)
        await start.onStarted(leader)
      },
    })
    reach('b has ended', start.event)
    return end
  },
})

function reach(point: string, event: string): void {
  if (point === fatalPoint && event === fatalEvent) process.kill(process.pid, 'SIGKILL')
}

await runProcess('worker', async () => {
  const worker = await workerOn(databaseUrl!, root!, undefined, options => ({
    ...options,
    host: { ...options.host!, ...fatal(options.host!) },
  }))
  process.stdout.write('started\n')
  return worker
})
