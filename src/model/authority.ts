/** What the courier asks of the world outside about certificates (src/acme does it). */
export type Authority = {
  /** Looks where a name points. */
  look: (name: string) => Promise<Looked>
  /** Makes a key for the server's account. */
  newAccount: () => AcmeAccount
  /**
   * Why a name is not answered by this server's websites at one of its addresses; undefined where
   * it is, or where that can't be told from here.
   */
  whyUnanswered: (name: string, address: string, thumbprint: string) => Promise<string | undefined>
  /** Orders what the request (PEM) asks for and tells its chain as PEM, the website's own first. */
  order: (account: AcmeAccount, request: string) => Promise<string>
}

/** A name's addresses, and why it does not point here; undefined where all of them are ours. */
export type Looked = { addresses: string[]; why: string | undefined }

/** The server's account at an authority. */
export type AcmeAccount = {
  /** The private key, encrypted under the server's key. */
  key: Buffer
  thumbprint: string
}
