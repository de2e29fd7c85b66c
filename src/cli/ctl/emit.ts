import { Option, UsageError } from 'clipanion'
import { z } from 'zod'
import { emit, event, eventName, events } from '../../model/events/events.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ event: eventName })

export class CtlEmitCommand extends DatabaseCommand {
  static override summary = 'report an event that one of your own scripts has caused'
  static override details = `
    It goes to webhooks and hook scripts like every other. The data has exactly the fields that
    the reference names for the event.
  `
  static override examples = {
    'Report a database':
      '$0 database.created ' + `--data '{"username":"alice","database":"alice_shop"}'`,
  }

  event = argument('EVENT', eventName.options)
  data = Option.String('--data', { required: true, description: 'the data, as JSON' })

  async act(): Promise<void> {
    const { event: name } = this.parse(Words)
    const data = parseData(events[name], this.data)
    const { db, config } = await this.open()
    const about = { server: config.serverName, time: new Date() }
    this.show({ id: await emit(db, event(name, data, about)), event: name })
  }
}

function parseData<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(text), { error: toWords })
  if (parsed.success) return parsed.data
  const sentences = parsed.error.issues.map(({ path, message }) => [...path, message].join(' '))
  throw new UsageError(`--data: ${sentences.join('; ')}`)
}

// Other words are zod's own.
function toWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  return issue.input === undefined ? 'is required' : `must be of type ${issue.expected}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('--data is not JSON')
  }
}
