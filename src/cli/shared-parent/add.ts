import { SharedParentCommand } from './shared-parent-command.ts'

export class SharedParentAddCommand extends SharedParentCommand {
  static override summary = 'let every account add websites below a domain'
  static override details = `
    Elsewhere, no account gets a name above or below a website of another account. Below a shared
    parent each account may have names of its own, and none above or below another account's. The
    parent itself and the names above it can be added only by \`panel site add\` and
    \`panel account create\`.
  `
  static override examples = { 'Sell free subdomains': '$0 free.example.net' }

  act() {
    return this.change('added')
  }
}
