import { runCli } from '../src/cli/cli.ts'

// A closed pipe or terminal is not a failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

// Ends work that a command has abandoned. Its output is written by now.
process.exit(await runCli(process.argv.slice(2)))
