import { getOwnToken, OwnToken } from '../model/signing-in/own-token.ts'
import { reading, type Endpoint } from './endpoint.ts'
import { ownToken } from './examples.ts'

/** The description of the token itself. */
export const tokenEndpoint: Endpoint = reading({
  id: 'getToken',
  method: 'GET',
  path: '/token',
  tag: 'Token',
  permissions: ['Provisioning only', 'Provisioning and hosting', 'Sites', 'Read events'],
  summary: 'Get the token and what it may do',
  description:
    "Returns the token's owner, permission, expiry and what remains of its reseller's plan, and " +
    'the release and host name of the server. Enough to test a connection.',
  answers: { 200: { description: 'The token', schema: OwnToken, example: ownToken } },
  refusals: [],
  read:
    ({ pool, about }) =>
    ({ caller }) =>
      getOwnToken(pool, caller, about),
})
