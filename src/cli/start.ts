import { readConfig } from '../config.ts'
import { PanelCommand } from './panel-command.ts'

export class StartCommand extends PanelCommand {
  static override summary = 'run the whole panel in this terminal, to try it out'
  static override details = `
    Keeps its state below PANEL_STATE_DIR (.panel in the checkout), runs its own PostgreSQL
    unless DATABASE_URL is set, and listens on PANEL_LISTEN (127.0.0.1:8080).

    The first start creates the administrator and a token and prints both. Ctrl-C stops
    everything; a second Ctrl-C stops it without waiting.
  `
  static override examples = {
    'Start it': '$0',
    'Use another folder and address': 'PANEL_STATE_DIR=/tmp/try PANEL_LISTEN=127.0.0.1:9090 $0',
  }

  async perform(): Promise<void> {
    const config = readConfig()
    // Loaded only now, so that --help is quick.
    const { panelStart } = await import('../start/panel-start.ts')
    await panelStart(config, {
      print: text => this.print(text),
      report: sentence => this.report(sentence),
    })
  }
}
