// The parts of Polka 0.5 that the panel uses; it has no types of its own.
declare module 'polka' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http'

  type Middleware = (
    request: IncomingMessage & { params: Record<string, string> },
    response: ServerResponse,
  ) => void

  type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS'

  type Polka = {
    handler: (request: IncomingMessage, response: ServerResponse) => void
    add: (method: Method, pattern: string, ...handlers: Middleware[]) => Polka
    find: (method: Method, path: string) => { handlers: Middleware[] } | false
  }

  export default function polka(options?: { server?: Server; onNoMatch?: Middleware }): Polka
}
