import { Option, UsageError } from 'clipanion'
import { z } from 'zod'
import { emit, event, eventName, events } from '../../model/events/events.ts'
import { argument } from '../completion/completers.ts'
import { DatabaseCommand } from '../database-command.ts'

const Words = z.object({ event: eventName })

export class CtlEmitCommand extends DatabaseCommand {
  static override summary = 'send an event for a change made by your own script'
  static override details = `
    The event goes to webhooks and hook scripts like any other. The data must have exactly the
    fields that the reference lists for the event.
  `
  static override examples = {
    'Send an event for a new database':
      '$0 database.created ' + `--data '{"username":"alice","database":"alice_shop"}'`,
  }

  event = argument('EVENT', eventName.options)
  data = Option.String('--data', { required: true, description: "the event's data, as JSON" })

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
