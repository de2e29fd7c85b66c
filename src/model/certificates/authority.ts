/** How the courier reaches certificate authorities and DNS (implemented in src/acme). */
export type Authority = {
  look: (name: string) => Promise<Looked>
  /** Makes a key for the server's account. */
  newAccount: () => AcmeAccount
  /**
   * Why this server's websites do not answer for a name at one of its addresses; undefined if they
   * do, or if that can't be found out from here.
   */
  whyUnanswered: (name: string, address: string, thumbprint: string) => Promise<string | undefined>
  /**
   * When the certificate of this id should be renewed (RFC 9773); undefined where the authority
   * does not tell of any.
   */
  renewal: (id: string) => Promise<Renewal | undefined>
  /**
   * Orders the certificate of a request (PEM); returns the chain (PEM), leaf first. `replaces` is
   * the id of the certificate whose place it takes.
   */
  order: (account: AcmeAccount, request: string, replaces: string | null) => Promise<string>
}

/** The time in which a certificate should be renewed, and after which wait to ask again. */
export type Renewal = { start: Date; end: Date; askAgainMs: number }

/** A name's addresses, and why it does not point here; undefined if all of them are ours. */
export type Looked = { addresses: string[]; why: string | undefined }

/** The server's account at an authority. */
export type AcmeAccount = {
  /** The private key, encrypted under the server's key. */
  key: Buffer
  thumbprint: string
}
