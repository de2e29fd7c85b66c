import t from 'tap'
import { openPanel } from '../support/panel.ts'
import { signIn } from '../support/web/signed-in.ts'

// An administrator may add a webhook before its receiver can be reached, but gets a warning.

const panel = await openPanel(t, { hasWorker: false })
const admin = await signIn(panel)
const why = 'ebhooks are never sent there: 10.0.0.1 is not a public address'

t.test('an operator who adds an unreachable address gets a warning', async t => {
  const made = await admin.submit('/hooks/webhooks/new', { url: 'http://10.0.0.1/', secret: '' })
  t.equal(made.status, 200)
  t.match(made.text, `W${why}`)
  t.match(made.text, 'aria-label="Secret"', 'it is added all the same')
})

t.test('an operator who changes an address gets it too, unless it can be reached', async t => {
  const { rows } = await panel.pool.query<{ id: string }>('select id from panel.webhooks')
  const path = `/hooks/webhooks/${rows[0]!.id}`
  const edit = async (url: string) => {
    const { status, headers } = await admin.submit(`${path}/edit`, { url })
    t.strictSame([status, headers.location], [303, path])
    const output = /panel-flash=([^;]+)/.exec(String(headers['set-cookie']))?.[1]
    return output && Buffer.from(output, 'base64url').toString()
  }
  t.match(await edit('http://10.0.0.1/2'), `Saved, but w${why}`)
  t.equal(await edit('http://192.0.2.7.example/'), undefined, 'a name may resolve later')
  t.equal(await edit('http://127.0.0.1:9/'), undefined, 'it is allowed here')
})
