/** The courier's connections to certificate authorities and DNS (implemented in src/acme). */
export type Authority = {
  resolve: (name: string) => Promise<Resolved>
  /** Makes a key for the server's account. */
  newAccount: () => AcmeAccount
  /**
   * Returns why this server's websites do not answer for a name at one of its addresses; undefined
   * if they do, or if this cannot be determined from here.
   */
  whyUnanswered: (name: string, address: string, thumbprint: string) => Promise<string | undefined>
  /**
   * Returns when to renew the certificate of this id (RFC 9773); undefined if the authority does
   * not suggest a time.
   */
  renewal: (id: string) => Promise<Renewal | undefined>
  /**
   * Orders the certificate of a request (PEM); returns the chain (PEM), leaf first. `replaces` is
   * the id of the certificate that it replaces.
   *
   * @throws {NamesRefused}
   */
  order: (account: AcmeAccount, request: string, replaces: string | null) => Promise<string>
}

/** An order failed because the authority has refused these of its names. */
export class NamesRefused extends Error {
  names: readonly string[]

  constructor(names: readonly string[], why: string) {
    super(why)
    this.name = 'NamesRefused'
    this.names = names
  }
}

/** The period in which to renew a certificate, and the wait before asking again. */
export type Renewal = { start: Date; end: Date; askAgainMs: number }

/**
 * A name's addresses, and why it does not point here; undefined if all of them are this server's.
 */
export type Resolved = { addresses: string[]; why: string | undefined }

/** The server's account at an authority. */
export type AcmeAccount = {
  /** The private key, encrypted under the server's key. */
  key: Buffer
  thumbprint: string
}
