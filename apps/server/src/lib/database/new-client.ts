import pg from 'pg'

/** A single connection, not yet opened. Its `error` event needs a listener. */
export function newClient(config: pg.ClientConfig): pg.Client {
  return new pg.Client(ownCopy(config))
}

/**
 * The driver hides the password and the TLS key of what it is given, so that no log shows them; a copy made of it
 * afterwards, also the one that travels to another process, has lost both. So it gets a copy, and ours stays whole.
 */
export function ownCopy<C extends pg.ClientConfig>(config: C): C {
  const { ssl } = config
  return typeof ssl === 'object' ? { ...config, ssl: { ...ssl } } : { ...config }
}
