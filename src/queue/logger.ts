import { Logger } from 'graphile-worker'
import { log } from '../log.ts'

/** Graphile Worker's own messages as our log lines: what asks for action, nothing else. */
export const queueLogger = new Logger(() => (level, message, meta) => {
  if (level === 'error') log.error('queue', message, { ...meta })
  else if (level === 'warning') log.info('queue', { warning: message })
})
