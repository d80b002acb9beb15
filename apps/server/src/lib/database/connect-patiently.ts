import type pg from 'pg'
import { newClient } from './new-client.ts'

/** A new attempt to connect is made beside those that hang, … */
const ATTEMPT_EVERY_MS = 1_500
/** … and each is given up after this. */
const ATTEMPT_MS = 15_000

/** Ends a connection without a word: the other side may not be there to hear it. */
export function endOf(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } }
  connection.stream.destroy(new Error('not needed any more'))
}

/**
 * Connects; while an attempt hangs, others are made beside it, and the first that is through is taken. So a server that
 * is merely slow is waited for, and one that can be reached again is reached at once.
 * @throws the error of the last attempt
 */
export async function connectPatiently(
  config: pg.ClientConfig,
  { everyMs = ATTEMPT_EVERY_MS, signal }: { everyMs?: number; signal?: AbortSignal } = {},
): Promise<pg.Client> {
  const attempts = new Set<pg.Client>()
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  try {
    return await new Promise<pg.Client>((resolve, reject) => {
      let won = false
      const began = performance.now()
      const attempt = () => {
        const client = newClient({ connectionTimeoutMillis: ATTEMPT_MS, ...config })
        client.on('error', () => undefined)
        attempts.add(client)
        client
          .connect()
          .then(() => {
            if (won) return
            won = true
            attempts.delete(client)
            resolve(client)
          })
          .catch((error: Error) => {
            attempts.delete(client)
            // Refused, not silent: the caller decides when to come again.
            if (!won) reject(error)
          })
      }
      abort = () => reject(signal?.reason ?? new Error('given up'))
      signal?.addEventListener('abort', abort, { once: true })
      attempt()
      timer = setInterval(() => {
        if (performance.now() - began < ATTEMPT_MS) attempt()
      }, everyMs)
    })
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', abort)
    for (const client of attempts) endOf(client)
  }
}
