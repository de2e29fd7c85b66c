import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { describe } from '../../src/api/openapi.ts'
import { request, type Due } from '../../src/courier/deliveries.ts'
import { examples } from '../../src/model/events/event-examples.ts'
import { Event } from '../../src/model/events/event-feed.ts'
import { events } from '../../src/model/events/events.ts'

// The reference's claims about events and webhooks hold.

const page = (slug: string) =>
  readFileSync(join(import.meta.dirname, `../../docs/reference/${slug}.md`), 'utf8')
const block = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(text)?.[1] ?? ''

t.test('the examples of data are those that test events carry', async t => {
  t.strictSame(JSON.parse(block(page('events-and-webhooks'), 'json')), examples)
  for (const [name, schema] of Object.entries(events)) {
    const example = examples[name as keyof typeof examples]
    t.strictSame(schema.parse(example), example, name)
  }
})

t.test('the request that is shown is one that is sent', t => {
  const [head = '', shown = ''] = block(page('webhooks'), 'http').split('\n\n')
  const name = /^X-Panel-Event: (.+)$/m.exec(head)?.[1] as keyof typeof examples
  const { event, data } = Event.parse(JSON.parse(shown))
  t.strictSame([event, data], [name, examples[name]])
  t.end()
})

t.test('the headers are described, in the reference and in that of the API', t => {
  const due = {
    id: '',
    event: 'account.created',
    secret: Buffer.alloc(1),
    previousSecret: Buffer.alloc(1),
  }
  const { headers } = request(due as Due, () => '', '')
  const sent = headers.filter(name => name.startsWith('X-Panel-'))
  const { event } = describe()['x-webhooks'] as {
    event: { post: { parameters: { name: string }[] } }
  }
  t.strictSame(
    event.post.parameters.map(({ name }) => name),
    sent,
  )
  const table = /^## The request$([^]*?)^## /m.exec(page('webhooks'))?.[1] ?? ''
  const named = [...table.matchAll(/^\| `(.+?)` /gm)].map(([, name]) => name)
  t.strictSame(named, sent)
  t.end()
})
