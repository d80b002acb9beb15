import pg from 'pg'
import { ownCopy } from './new-client.ts'
import { SilentConnections } from './silent-connections.ts'

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
  const silent = new SilentConnections(config)
  pool.on('connect', client => {
    client.on('error', () => {})
    silent.watch(client)
  })
  return pool
}

export { newClient } from './new-client.ts'
