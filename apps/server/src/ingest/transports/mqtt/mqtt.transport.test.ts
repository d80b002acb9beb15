import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClient, credentials, type Harness, startHarness, until } from './testing/harness.ts'

let harness: Harness

beforeAll(async () => {
  harness = await startHarness()
  for (let num = 1; num <= 40; num++) harness.ingest.addDevice(num)
})
afterAll(() => harness.stop())

describe.each([4, 5] as const)('protocol level %i', protocolVersion => {
  it('acknowledges a QoS 1 publish once it is committed', async () => {
    const client = await connectClient(`mqtt://127.0.0.1:${harness.port}`, { ...credentials(1), protocolVersion })
    await client.publishAsync('things/P1/d1/property/post', `{"v":${protocolVersion}}`, { qos: 1 })
    expect(harness.ingest.journal.at(-1)).toMatchObject({
      device: 1,
      channel: { kind: 'property' },
      text: `{"v":${protocolVersion}}`,
    })
    await client.endAsync()
    await until(() => harness.ingest.events.includes('closed d1 client'))
  })
})
