import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Messages that nobody carries, kept where their receiver's administrator finds them: never in the log. */
export interface Outbox<M extends object> {
  /** Newest first. */
  readonly kept: readonly M[]
  /** Kept when it returns. */
  add(message: M): Promise<void>
}

const KEPT = 20

/**
 * The last messages, in memory and in a file that only the account of the server may read (0600): they hold codes and
 * links with which somebody signs in.
 * @param path null: in memory alone
 */
export function createOutbox<M extends object>(path: string | null): Outbox<M> {
  const kept: M[] = []
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (path === null) return
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const lines = kept.map(message => `${JSON.stringify(message)}\n`).join('')
    await writeFile(`${path}.new`, lines, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }

  return {
    kept,
    add(message) {
      kept.unshift(message)
      kept.length = Math.min(kept.length, KEPT)
      writing = writing.catch(() => undefined).then(write)
      return writing
    },
  }
}
