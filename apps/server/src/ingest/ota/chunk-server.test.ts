import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../lib/log.ts'
import type { FirmwareDownload } from '../../modules/ota/firmware.port.ts'
import { aDevice } from '../testing/entries.ts'
import { BLOCK } from './block-cache.ts'
import { ChunkServer, type Say } from './chunk-server.ts'

const JOB = '0198c0de-0000-7000-8000-000000000001'
const FILE = Buffer.from(Array.from({ length: BLOCK + 10_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff))
const servers: ChunkServer[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.stop()
  vi.useRealTimers()
})

function download(more: Partial<FirmwareDownload> = {}): FirmwareDownload {
  return { id: JOB, campaignId: 'c1', key: 'k', size: FILE.length, perDevice: null, perCampaign: null, ...more }
}

/** A chunk server whose time, store and devices are the test's. */
function serve(jobs: Record<string, FirmwareDownload | Error>) {
  vi.useFakeTimers()
  let now = 0
  const loads: [number, number][] = []
  const asked: number[] = []
  const server = new ChunkServer({
    async downloads(names) {
      asked.push(names.length)
      return names.map(({ device, id }) => {
        const found = jobs[`${device}/${id}`]
        if (found instanceof Error) throw found
        return found ?? null
      })
    },
    async bytes(_key, start, end) {
      loads.push([start, end])
      return new Uint8Array(FILE.subarray(start, end + 1))
    },
    monotonic: { now: () => now },
    logger: silentLogger,
  })
  servers.push(server)
  const said: { device: number; topic: string; payload: Buffer }[] = []
  let takes: ReturnType<Say> = 'sent'
  const ask = (device: number, body: unknown) =>
    server.request(
      aDevice(device),
      Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      (topic, payload) => {
        if (takes === 'sent') said.push({ device, topic, payload: Buffer.from(payload) })
        return takes
      },
    )
  return {
    server,
    said,
    loads,
    asked,
    ask,
    takes: (answer: ReturnType<Say>) => {
      takes = answer
    },
    /** Lets so much time go by, in the server's steps. */
    async pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + 20)
        await vi.advanceTimersByTimeAsync(20)
      }
    },
    codes: () =>
      said.filter(({ topic }) => topic.endsWith('refused')).map(({ payload }) => JSON.parse(payload.toString()).code),
  }
}

describe('the chunk server', () => {
  it('sends the bytes asked for, across blocks and to the end, and reads each block once', async () => {
    const { ask, pass, said, loads, asked } = serve({ [`1/${JOB}`]: download(), [`2/${JOB}`]: download() })
    ask(1, { id: JOB, offset: BLOCK - 4_096, length: 8_192 })
    ask(1, { id: JOB, offset: FILE.length - 100, length: 4_096, count: 4 })
    ask(2, { id: JOB, offset: 0, length: 4_096, count: 16 })
    await pass(100)
    for (const { topic, payload } of said) {
      const offset = Number(topic.split('/').at(-1))
      expect(payload.equals(FILE.subarray(offset, offset + payload.length))).toBe(true)
    }
    expect(said.filter(({ device }) => device === 1).map(({ topic, payload }) => [topic, payload.length])).toEqual([
      [`ota/data/${JOB}/${BLOCK - 4_096}`, 8_192],
      [`ota/data/${JOB}/${FILE.length - 100}`, 100],
    ])
    expect(said.filter(({ device }) => device === 2)).toHaveLength(16)
    expect(loads.sort((a, b) => a[0] - b[0])).toEqual([
      [0, BLOCK - 1],
      [BLOCK, FILE.length - 1],
    ])
    // Both devices' jobs in one question.
    expect(asked).toEqual([2])
  })

  it('says why there are no bytes: another one’s job, a wrong place, too much, nobody to ask', async () => {
    const { ask, pass, codes, server } = serve({
      [`1/${JOB}`]: download(),
      [`3/${JOB}`]: new Error('away'),
    })
    ask(2, { id: JOB, offset: 0, length: 10 })
    await pass(40)
    ask(1, { id: JOB, offset: FILE.length, length: 10 })
    await pass(40)
    ask(1, { id: JOB, offset: 0, length: 65_537 })
    ask(1, { id: JOB, offset: 0, length: 8_192, count: 16 })
    ask(1, { id: JOB, offset: -1, length: 10 })
    ask(1, { id: JOB, offset: 0, length: 1, count: 17 })
    ask(3, { id: JOB, offset: 0, length: 10 })
    // Nowhere to answer to.
    for (const body of ['no json', '[]', { id: '+/#', offset: 0, length: 10 }, { offset: 0 }]) ask(1, body)
    await pass(40)
    expect(codes()).toEqual([
      'job_unknown',
      'offset_beyond',
      'request_invalid',
      'request_invalid',
      'request_invalid',
      'request_invalid',
      'unavailable',
    ])
    expect(server.metrics().firmware_requests_refused).toBe(11)
  })

  it('keeps to the rate of a device and of its campaign, and shares that among the devices', async () => {
    const slow = download({ perDevice: 8_192 })
    const shared = (id: string) => download({ id, campaignId: 'c2', perCampaign: 16_384 })
    const { ask, pass, said } = serve({
      [`1/${JOB}`]: slow,
      [`2/${JOB}`]: shared(JOB),
      [`3/${JOB}`]: shared(JOB),
    })
    for (let round = 0; round < 10; round++) {
      for (const device of [1, 2, 3]) ask(device, { id: JOB, offset: round * 16_384, length: 4_096, count: 4 })
      await pass(1_000)
    }
    const bytes = (device: number) =>
      said.filter(each => each.device === device).reduce((sum, { payload }) => sum + payload.length, 0)
    // What was saved up for a second at the beginning comes on top.
    expect(bytes(1)).toBeGreaterThan(8_192 * 9)
    expect(bytes(1)).toBeLessThanOrEqual(8_192 * 12)
    expect(bytes(2) + bytes(3)).toBeGreaterThan(16_384 * 9)
    expect(bytes(2) + bytes(3)).toBeLessThanOrEqual(16_384 * 12)
    expect(Math.abs(bytes(2) - bytes(3))).toBeLessThanOrEqual(16_384)
  })

  it('holds back what is not read, drops it with the connection, and bounds what one device may ask for', async () => {
    const { ask, pass, said, codes, takes, server } = serve({ [`1/${JOB}`]: download() })
    ask(1, { id: JOB, offset: 0, length: 4_096 })
    await pass(40)
    takes('full')
    for (let i = 0; i < 4; i++) ask(1, { id: JOB, offset: i * 65_536, length: 4_096, count: 16 })
    // The same again is no more than it was.
    await pass(100)
    expect(said).toHaveLength(1)
    expect(server.metrics().firmware_waiting_state).toBe(1)
    takes('sent')
    ask(1, { id: JOB, offset: 0, length: 4_096, count: 16 })
    await pass(40)
    expect(codes()).toEqual(['too_many'])
    expect(said.filter(({ topic }) => !topic.endsWith('refused')).length).toBe(1 + 64)
    takes('away')
    ask(1, { id: JOB, offset: 0, length: 4_096, count: 16 })
    await pass(40)
    expect(server.metrics().firmware_waiting_state).toBe(0)
  })

  it('believes a job for ten seconds, and no longer when it is told', async () => {
    const jobs: Record<string, FirmwareDownload> = { [`1/${JOB}`]: download() }
    const { ask, pass, codes, asked, server } = serve(jobs)
    const once = async () => {
      ask(1, { id: JOB, offset: 0, length: 10 })
      await pass(100)
    }
    await once()
    delete jobs[`1/${JOB}`]
    await once()
    expect(codes()).toEqual([])
    server.forget(1, JOB)
    await once()
    expect(codes()).toEqual(['job_unknown'])
    await pass(10_000)
    await once()
    expect(asked).toHaveLength(3)
  })
})
