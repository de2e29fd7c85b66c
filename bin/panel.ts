import { runCli } from '../src/cli/cli.ts'

// A reader that has seen enough, or a terminal that was closed, is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

// What a command has abandoned ends here; output to files, pipes and terminals is written by now.
process.exit(await runCli(process.argv.slice(2)))
