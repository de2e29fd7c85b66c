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
  /** Orders the certificate of a request (PEM); returns the chain (PEM), leaf first. */
  order: (account: AcmeAccount, request: string) => Promise<string>
}

/** A name's addresses, and why it does not point here; undefined if all of them are ours. */
export type Looked = { addresses: string[]; why: string | undefined }

/** The server's account at an authority. */
export type AcmeAccount = {
  /** The private key, encrypted under the server's key. */
  key: Buffer
  thumbprint: string
}
