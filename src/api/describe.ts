import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { describe } from './openapi.ts'

/** The description as the file of it has to be: `npm run describe` writes it, a test compares. */
export const toYaml = (): string =>
  '# Made by `npm run describe` from src/api and src/model: do not edit.\n' +
  // Readers of YAML 1.1 are about, to whom a bare text may be a time or a yes: all are quoted.
  stringify(describe(), {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    aliasDuplicateObjects: false,
    lineWidth: 100,
  })

if (import.meta.main) writeFileSync('provisioning-openapi.yaml', toYaml())
