import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// The icons in use, as one picture that pages take theirs from (components/icon.eta).

const used = [
  ...['activity', 'arrow-left', 'check', 'chevron-down', 'chevron-left', 'chevron-right'],
  ...[
    'chevrons-up-down',
    'arrow-up',
    'arrow-down',
    'circle-question-mark',
    'clock',
    'copy',
    'database',
  ],
  ...[
    'file-clock',
    'gauge',
    'globe',
    'hard-drive',
    'heart-pulse',
    'rotate-ccw-clock',
    'house',
    'key-round',
  ],
  ...['layers', 'list-checks', 'log-in', 'log-out', 'mail', 'menu', 'package', 'pause', 'pencil'],
  ...['play', 'plus', 'refresh-cw', 'rotate-ccw', 'search', 'server', 'settings', 'shield'],
  ...['shield-check', 'store', 'terminal', 'trash', 'user', 'user-round', 'users', 'webhook', 'x'],
  ...[
    'triangle-alert',
    'circle-x',
    'circle-check',
    'circle',
    'info',
    'external-link',
    'download',
    'upload',
  ],
  ...[
    'chart-column',
    'folder',
    'eye',
    'ban',
    'calendar',
    'send',
    'archive',
    'credit-card',
    'smartphone',
    'wrench',
  ],
]

function draw(): string {
  // Imported, all of its 1,700 icons would stay in memory.
  const file = fileURLToPath(import.meta.resolve('@iconify-json/lucide/icons.json'))
  const { icons } = JSON.parse(readFileSync(file, 'utf8')) as { icons: Record<string, Icon> }
  const symbol = (name: string): string => {
    const icon = icons[name]
    if (icon === undefined) throw new Error(`There is no icon ${name}`)
    return `<symbol id="${name}" viewBox="0 0 24 24">${icon.body}</symbol>`
  }
  return `<svg xmlns="http://www.w3.org/2000/svg">${used.map(symbol).join('')}</svg>`
}

type Icon = { body: string }

export const sprite = draw()
