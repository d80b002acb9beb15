import pg from 'pg'

/**
 * A pool whose lost connections end nobody: without listeners the error of an idle client, or of one whose query is
 * running, would end the process. The running query is rejected with the same error.
 * @param onIdleError told of idle connections that were lost
 */
export function openPool(config: pg.PoolConfig, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(ownCopy(config))
  pool.on('error', error => {
    // The pool hangs the whole client on it, which nobody wants to read in a log.
    Reflect.deleteProperty(error, 'client')
    onIdleError(error)
  })
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** A single connection, not yet opened. Its `error` event needs a listener. */
export function newClient(config: pg.ClientConfig): pg.Client {
  return new pg.Client(ownCopy(config))
}

/**
 * The driver hides the password and the TLS key of what it is given, so that no log shows them; a copy made of it
 * afterwards, also the one that travels to another process, has lost both. So it gets a copy, and ours stays whole.
 */
function ownCopy<C extends pg.ClientConfig>(config: C): C {
  const { ssl } = config
  return typeof ssl === 'object' ? { ...config, ssl: { ...ssl } } : { ...config }
}
