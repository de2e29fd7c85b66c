import { Logger } from 'graphile-worker'
import { log } from '../log.ts'

// A courier's jobs wait for receivers and not for connections: it has few of them on purpose.
const isIntended = (message: string): boolean => message.includes('having maxPoolSize')

/** Graphile Worker's own messages as our log lines: what asks for action, nothing else. */
export const queueLogger = new Logger(() => (level, message, meta) => {
  if (level === 'error') log.error('queue', message, { ...meta })
  else if (level === 'warning' && !isIntended(message)) log.info('queue', { warning: message })
})
