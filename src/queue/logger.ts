import { Logger } from 'graphile-worker'
import { log } from '../log.ts'

// A courier's jobs wait for receivers, so it has fewer connections than jobs on purpose.
const isIntended = (message: string): boolean => message.includes('having maxPoolSize')

/** Logs Graphile Worker's own messages: errors and warnings only. */
export const queueLogger = new Logger(() => (level, message, meta) => {
  if (level === 'error') log.error('queue', message, { ...meta })
  else if (level === 'warning' && !isIntended(message)) log.info('queue', { warning: message })
})
