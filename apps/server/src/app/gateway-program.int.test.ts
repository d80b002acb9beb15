import { once } from 'node:events'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { gatewayStart } from '../ingest/process/testing.ts'
import { silentLogger } from '../lib/log.ts'
import { createGatewayClient } from './gateway-client.ts'
import { loadGateway } from './gateway-program.ts'

let db: TestDatabase
const ends: (() => unknown)[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function world(loaded: ReturnType<typeof loadGateway>) {
  const { remove, ...start } = gatewayStart(db)
  ends.push(remove)
  const client = createGatewayClient({
    start,
    logger: silentLogger,
    loaded,
  })
  ends.push(() => client.stop())
  return client
}

describe('a gateway whose program was loaded beforehand', () => {
  it('is the one that starts; after its end another takes its place', async () => {
    const program = loadGateway()
    ends.push(() => program.end())
    const client = world(program)
    await client.start({ batch: () => undefined, commandsChanged: () => undefined })
    const first = client.pid()
    process.kill(first!, 'SIGKILL')
    await expect.poll(() => client.ready() && client.pid() !== first).toBe(true)
    expect(program.take()).toBe(null)
  })

  it('ends when the start fails', async () => {
    const program = loadGateway()
    const life = program.take()!
    const gone = once(life, 'exit')
    program.end()
    expect(await gone).toEqual([null, 'SIGKILL'])
  })
})
