import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { describe } from './openapi.ts'

/**
 * Returns the API description as its file should be: `npm run describe` writes it, a test compares.
 */
export const toYaml = (): string =>
  '# Made by `npm run describe` from src/api and src/model: do not edit.\n' +
  // All texts are quoted, because YAML 1.1 parsers may read a bare text as a time or a boolean.
  stringify(describe(), {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    aliasDuplicateObjects: false,
    lineWidth: 100,
  })

if (import.meta.main) writeFileSync('provisioning-openapi.yaml', toYaml())
