import { getOwnToken, OwnToken } from '../model/signing-in/own-token.ts'
import { reading, type Endpoint } from './endpoint.ts'
import { ownToken } from './examples.ts'

/** What a token says of itself. */
export const tokenEndpoint: Endpoint = reading({
  id: 'getToken',
  method: 'GET',
  path: '/token',
  tag: 'Token',
  permissions: ['Provisioning only', 'Provisioning and hosting', 'Read events'],
  summary: 'Get what the token is and may do',
  description:
    "Whose it is, for what, until when, and what is left of its reseller's plan; which release " +
    'answers, on which server. A test of the connection needs no more.',
  answers: { 200: { description: 'The token', schema: OwnToken, example: ownToken } },
  refusals: [],
  read:
    ({ pool, about }) =>
    ({ caller }) =>
      getOwnToken(pool, caller, about),
})
