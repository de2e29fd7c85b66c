import { z } from 'zod'
import { phpVersion } from '../../src/model/sites/php-settings.ts'
import { server } from '../../src/model/server/trusted-proxies.ts'
import { operation } from '../../src/queue/operation.ts'
import type { Run } from '../../src/queue/operation-types.ts'

const Seen = z.object({ php_version: phpVersion.nullable() })

const seenBy = ({ started }: Run): string | null => Seen.parse(started.seen).php_version

// Changes the version of PHP that accounts run by default. The row has it once the machine does, so
// an undo applies the row's.
export default operation('server/set-php', {
  subject: server,
  async undo(run) {
    const { host } = run.context
    host.notePhp(seenBy(run))
    await host.ensureShared()
  },
  async work(run) {
    const { host, observe } = run.context
    const php_version = seenBy(run)
    await observe('choose php', () => host.choosePhp(php_version))
    const change = { php_version }
    return { status: 200, answer: change, change, events: [] }
  },
})
