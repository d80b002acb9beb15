import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { EmbeddedAddress } from '../embedded/embedded-postgres.ts'
import { startTestServer, type TestServer, temporaryFolder } from './test-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Socket where a test asks for the run's one database server; the first question starts it. */
    testServerSocket: string
  }
}

/** What the run's server answers to a test file. */
export type TestServerAnswer = { address: EmbeddedAddress } | { error: string }

/** Vitest global setup: one PostgreSQL server per run, started only when a test needs it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = temporaryFolder('tw-run-')
  const path = join(folder.path, 's')
  let starting: Promise<TestServer> | undefined
  const answerer = createServer(socket => {
    socket.on('error', () => {})
    starting ??= startTestServer()
    starting
      .then(server => socket.end(JSON.stringify({ address: server.address } satisfies TestServerAnswer)))
      .catch((error: Error) =>
        socket.end(JSON.stringify({ error: error.stack ?? error.message } satisfies TestServerAnswer)),
      )
  })
  await new Promise<void>((resolve, reject) => {
    answerer.once('error', reject)
    answerer.listen(path, resolve)
  })
  project.provide('testServerSocket', path)
  return async () => {
    await new Promise(resolve => answerer.close(resolve))
    await (await starting?.catch(() => undefined))?.stop()
    folder.remove()
  }
}
