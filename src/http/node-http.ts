/**
 * Node's own HTTP. Importing it would make Node load what its WebSocket needs as well, which is
 * more than all pages together.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
