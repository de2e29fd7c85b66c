import { SharedParentCommand } from './shared-parent-command.ts'

export class SharedParentAddCommand extends SharedParentCommand {
  static override summary = 'let every account add websites below a domain'
  static override details = `
    Normally no account can add a name above or below another account's website. Below a shared
    parent every account can have names of its own, but still none above or below another
    account's name. The parent itself and the names above it can be added only with \`panel site
    add\` and \`panel account create\`.
  `
  static override examples = { 'Offer free subdomains': '$0 free.example.net' }

  act() {
    return this.change('added')
  }
}
