// The imports that each part may have, in addition to itself and the parts that are open to all.
export const open = ['errors', 'log', 'db', 'process', 'pid-lock', 'batched', 'unfinished-restore']
export const mayImport: Record<string, string[]> = {
  bin: ['*'],
  api: ['http', 'model', 'requests', 'config'],
  // The execution of a write, whichever channel requests it.
  requests: ['model'],
  web: ['http', 'model', 'requests'],
  http: ['model', 'requests', 'config'],
  queue: ['model', 'config'],
  // The process that talks to the outside: deliveries of webhooks, and its part of certificates.
  courier: ['queue', 'model'],
  tasks: ['queue', 'courier', 'model', 'host'],
  // Commands validate as the other processes would: the schema, names, and addresses of webhooks.
  cli: [
    ...['queue', 'model', 'requests', 'host', 'start', 'backup', 'config', 'migrate', 'acme'],
    ...['outside', 'install'],
  ],
  // `panel start`: brings the other processes up, and knows none of their insides.
  start: ['model', 'config', 'migrate'],
  // Packs a whole panel into one file, and makes a panel of it.
  backup: ['model', 'host', 'start', 'config', 'migrate'],
  // Makes a fresh machine a panel, of a release.
  install: ['model', 'host', 'start', 'backup', 'config', 'migrate'],
  release: ['install', 'host', 'config', 'billing', 'model/grammar/reserved-names'],
  model: [],
  host: ['model'],
  outside: ['model'],
  acme: ['model'],
  config: ['model/grammar/grammar', 'model/server/license', 'setting-values'],
  'setting-values': ['model/grammar/cidr'],
  errors: ['model/operations/resource-kinds'],
  migrate: [
    'config',
    'queue/logger',
    'model/operations/operation-names',
    'model/operations/generated-functions',
  ],
  'unfinished-restore': [],
  process: ['config', 'systemd'],
  systemd: ['config'],
  log: [],
  batched: [],
  'pid-lock': [],
  db: [],
}
