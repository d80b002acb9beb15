import pg from 'pg'
import { ownCopy } from './new-client.ts'
import { AttemptSwallowed, SilentConnections, type SilentConnectionsOptions } from './silent-connections.ts'

/** An attempt to connect that was swallowed is made again so often before its caller is told. */
const ATTEMPTS = 10

/**
 * A pool whose lost connections end nobody: without listeners the error of an idle client, or of one whose query is
 * running, would end the process. The running query is rejected with the same error. Who waits for a connection while
 * packets are swallowed gets one as soon as they no longer are.
 * @param onIdleError told of idle connections that were lost
 */
export function openPool(
  config: pg.PoolConfig,
  onIdleError: (error: Error) => void,
  watching: SilentConnectionsOptions = {},
): pg.Pool {
  const silent = new SilentConnections(config, watching)
  class WatchedClient extends pg.Client {
    constructor(given?: string | pg.ClientConfig) {
      super(given)
      silent.watchAttempt(this)
    }
  }
  const pool = new pg.Pool({ ...ownCopy(config), Client: WatchedClient })
  pool.on('error', error => {
    // The pool hangs the whole client on it, which nobody wants to read in a log.
    Reflect.deleteProperty(error, 'client')
    onIdleError(error)
  })
  pool.on('connect', client => {
    client.on('error', () => {})
    silent.watch(client, false)
  })
  pool.on('acquire', client => silent.use(client, true))
  pool.on('release', (_error, client) => silent.use(client, false))
  againWhenSwallowed(pool)
  return pool
}

type Taken = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void

function againWhenSwallowed(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as (taken: Taken) => void
  const attempt = (left: number, taken: Taken) =>
    connect((error, client, done) =>
      error instanceof AttemptSwallowed && left > 1 ? attempt(left - 1, taken) : taken(error, client, done),
    )
  const patient = (taken?: Taken) =>
    taken
      ? attempt(ATTEMPTS, taken)
      : new Promise<pg.PoolClient>((resolve, reject) =>
          attempt(ATTEMPTS, (error, client) => (client ? resolve(client) : reject(error))),
        )
  pool.connect = patient as pg.Pool['connect']
}

export { newClient } from './new-client.ts'
