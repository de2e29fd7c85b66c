import 'pg'

// The floor of an idle process: Node with the database's client loaded.

setInterval(() => undefined, 60_000)
process.stdout.write(`${JSON.stringify({ message: 'floor ready' })}\n`)
process.on('SIGTERM', () => process.exit(0))
