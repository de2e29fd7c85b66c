import 'pg'

// The least that a process of ours can be: Node with the database's client loaded, doing nothing.

setInterval(() => undefined, 60_000)
process.stdout.write(`${JSON.stringify({ message: 'floor ready' })}\n`)
process.on('SIGTERM', () => process.exit(0))
