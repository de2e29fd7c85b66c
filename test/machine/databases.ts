import { dirname } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { openLinuxPanel } from './machine.ts'
import { startMariaDb, type MariaDb } from './mariadb.ts'

// Tests of databases on a real MariaDB share this.

/** API and commands, an account or two on a package, and a MariaDB; no worker yet. */
export async function openDatabasePanel(t: Test, options: { dataMb?: number } = {}) {
  const mariadb = await startMariaDb(t, options)
  const panel = await openLinuxPanel(t)
  const environment = {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: dirname(panel.root),
  }
  const say = (...words: string[]) => callPanel(words, environment)
  const database = (...words: string[]) => say('database', ...words)
  const done = async (...words: string[]) => {
    const result = await database(...words, '--json')
    if (result.code !== 0) throw new Error(result.stderr)
    return result.json()
  }
  return {
    panel,
    mariadb,
    environment,
    say,
    database,
    /** The same, which has to succeed. */
    done,
    async addAccount(username: string, fields: object = {}) {
      const body = { ...alice, username, domain: `${username}.example`, ...fields }
      const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
      if (status !== 201) throw new Error(text)
    },
    /** Returns the data of events of these names, in their order. */
    async events(...names: string[]) {
      const { rows } = await panel.pool.query(
        `select name, data from panel.events where name = any ($1) order by id`,
        [names],
      )
      return rows as { name: string; data: { username: string; database: string } }[]
    },
    /** Everything that MariaDB has of accounts, in a form that can be compared. */
    look: () => readState(mariadb),
  }
}

async function readState({ root }: MariaDb): Promise<string> {
  return root(`
    SELECT SCHEMA_NAME FROM information_schema.SCHEMATA
    WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'performance_schema', 'information_schema')
    ORDER BY 1;
    SELECT User, Host, JSON_VALUE(Priv, '$.authentication_string'),
      JSON_VALUE(Priv, '$.account_locked'), JSON_VALUE(Priv, '$.max_user_connections')
    FROM mysql.global_priv WHERE User NOT IN ('root', 'mysql', 'mariadb.sys') ORDER BY 1, 2;
    SELECT * FROM mysql.db ORDER BY User, Db`)
}
