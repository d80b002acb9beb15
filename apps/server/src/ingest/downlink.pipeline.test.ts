import { describe, expect, it } from 'vitest'
import { silentLogger } from '../lib/log.ts'
import type { ChangedCommand } from '../lib/news.ts'
import type { Prepared } from './commands/command-encoder.ts'
import type { ClaimedCommand } from './commands/command-queue.repo.ts'
import { DownlinkPipeline } from './downlink.pipeline.ts'
import type { DeliveryResult } from './transport.port.ts'
import type { DeviceRecord } from './uplink.ts'

const record = (num: number) => ({ num }) as DeviceRecord

/** A command as it leaves to a device that speaks topics. */
function json({ id, kind, identifier, params }: ClaimedCommand): Prepared & { ok: true } {
  const message = { commandId: id, suffix: 'x', payload: Buffer.alloc(0), command: { kind, identifier, params } }
  return { ok: true, message, settles: false }
}

/** A queue in memory, and devices that take what `answer` says. */
function world(
  answer: (command: string) => DeliveryResult = () => 'sent_confirmed_later',
  prepare: (command: ClaimedCommand) => Prepared | Promise<Prepared> = json,
) {
  const rows: (ClaimedCommand & { state: string })[] = []
  const online = new Set<number>([1])
  const sent: string[] = []
  const bytes: string[] = []
  const confirmations = new Map<string, () => void>()
  const changed: string[] = []
  let claims = 0
  let unclaims = 0
  let failing = false
  const pipeline = new DownlinkPipeline({
    queue: {
      async claim(devices) {
        claims++
        if (failing) throw new Error('database is away')
        return devices.flatMap(({ device, room }) => {
          const mine = rows.filter(row => row.device === device && row.state === 'queued').slice(0, room)
          for (const row of mine) row.state = 'sent'
          return mine
        })
      },
      async unclaim(ids) {
        unclaims++
        if (failing) throw new Error('database is away')
        for (const row of rows) if (ids.includes(row.id)) row.state = 'queued'
      },
      async markDelivered(ids) {
        for (const row of rows) if (ids.includes(row.id)) row.state = 'delivered'
        return ids.map(id => ({ device: 1, id }))
      },
      async markLeaving(leaving) {
        for (const { id, frames } of leaving) bytes.push(`${id}:${frames.join('+')}`)
      },
      async end(endings) {
        if (failing) throw new Error('database is away')
        for (const { id, state } of endings) for (const row of rows) if (row.id === id) row.state = state
        return endings.map(({ id }) => ({ device: 1, id }))
      },
    },
    prepare,
    reachable: num => (online.has(num) ? record(num) : null),
    deliver(_device, message, delivered) {
      const result = answer(message.commandId)
      if (result !== 'not_reachable') sent.push(message.commandId)
      confirmations.set(message.commandId, delivered)
      return result
    },
    onChanged: (commands: ChangedCommand[]) => changed.push(...commands.map(c => c.id)),
    logger: silentLogger,
    retryMs: 5,
  })
  const queue = (...ids: string[]) => queueFor(1, ...ids)
  const queueFor = (device: number, ...ids: string[]) => {
    for (const id of ids)
      rows.push({
        id,
        device,
        kind: 'service',
        identifier: 'restart',
        params: {},
        timeoutMs: 1000,
        confirm: 'auto',
        expects: null,
        interlock: null,
        lora: null,
        state: 'queued',
      })
  }
  return {
    bytes,
    queueFor,
    pipeline,
    rows,
    online,
    sent,
    changed,
    queue,
    confirm: (id: string) => confirmations.get(id)?.(),
    claims: () => claims,
    unclaims: () => unclaims,
    failing: (on: boolean) => {
      failing = on
    },
    state: (id: string) => rows.find(row => row.id === id)?.state,
  }
}

describe('downlink', () => {
  it('sends in order, at most 16 unconfirmed, and goes on with each confirmation', async () => {
    const w = world()
    const ids = Array.from({ length: 20 }, (_, i) => `c${i}`)
    w.queue(...ids)
    await w.pipeline.take(1)
    expect(w.sent).toEqual(ids.slice(0, 16))
    w.confirm('c0')
    w.confirm('c1')
    await expect.poll(() => w.sent).toEqual(ids.slice(0, 18))
    for (const id of ids.slice(2)) {
      await expect.poll(() => w.sent).toContain(id)
      w.confirm(id)
    }
    await expect.poll(() => w.rows.every(row => row.state === 'delivered')).toBe(true)
    expect(w.sent).toEqual(ids)
    expect(new Set(w.changed)).toEqual(new Set(ids))
  })

  it('puts back what the device cannot take, and does not try again until something changes', async () => {
    let deaf = true
    const w = world(() => (deaf ? 'not_reachable' : 'sent'))
    w.queue('a', 'b')
    await w.pipeline.take(1)
    expect(w.rows.map(row => row.state)).toEqual(['queued', 'queued'])
    expect(w.changed).toEqual([])
    const before = w.claims()
    w.pipeline.remind([1])
    await new Promise(resolve => setImmediate(resolve))
    expect(w.claims()).toBe(before)
    deaf = false
    w.pipeline.wake([1])
    await expect.poll(() => w.sent).toEqual(['a', 'b'])
  })

  it('touches nothing of devices that are not connected', async () => {
    const w = world()
    w.online.clear()
    w.queue('a')
    await w.pipeline.take(1)
    expect(w.claims()).toBe(0)
    expect(w.state('a')).toBe('queued')
  })

  it('tries again when the database was away', async () => {
    const w = world(() => 'sent')
    w.queue('a')
    w.failing(true)
    w.pipeline.wake([1])
    await expect.poll(() => w.claims()).toBeGreaterThan(1)
    w.failing(false)
    await expect.poll(() => w.sent).toEqual(['a'])
  })

  it('puts back what did not leave, also when the database was away meanwhile', async () => {
    const w = world(() => 'sent')
    w.queue('a', 'b')
    await w.pipeline.take(1)
    w.online.clear()
    w.failing(true)
    w.pipeline.returned(1, ['b'])
    await expect.poll(() => w.unclaims()).toBeGreaterThan(1)
    expect(w.state('b')).toBe('sent')
    w.failing(false)
    await expect.poll(() => w.state('b')).toBe('queued')
    expect(w.state('a')).toBe('sent')
  })

  it('starts with an empty window after a reconnect', async () => {
    const w = world()
    const ids = Array.from({ length: 17 }, (_, i) => `c${i}`)
    w.queue(...ids)
    await w.pipeline.take(1)
    expect(w.sent.length).toBe(16)
    w.pipeline.forget(1)
    await w.pipeline.take(1)
    expect(w.sent).toEqual(ids)
  })

  it('hold up only their own device while a script encodes, and keep their order', async () => {
    const scripts = new Map<string, () => void>()
    const w = world(
      () => 'sent',
      command =>
        command.device === 1 && command.id !== 'a2'
          ? new Promise(resolve => scripts.set(command.id, () => resolve({ ...json(command), settles: true })))
          : { ...json(command), settles: true },
    )
    w.online.add(2)
    w.queueFor(1, 'a1', 'a2', 'a3')
    w.queueFor(2, 'b1')
    w.pipeline.wake([1, 2])
    await expect.poll(() => w.sent).toEqual(['b1'])
    w.queueFor(2, 'b2')
    w.queueFor(1, 'a4')
    w.pipeline.wake([1, 2])
    await expect.poll(() => w.sent).toEqual(['b1', 'b2'])
    scripts.get('a1')!()
    await expect.poll(() => scripts.has('a3')).toBe(true)
    expect(w.sent).toEqual(['b1', 'b2', 'a1', 'a2'])
    scripts.get('a3')!()
    await expect.poll(() => scripts.has('a4')).toBe(true)
    scripts.get('a4')!()
    await expect.poll(() => w.rows.map(row => row.state)).toEqual(w.rows.map(() => 'succeeded'))
    expect(w.sent).toEqual(['b1', 'b2', 'a1', 'a2', 'a3', 'a4'])
    await w.pipeline.stop()
  })

  it('note their bytes before they leave, and end where nothing can answer', async () => {
    const w = world(
      id => {
        expect(w.bytes).toEqual([`${id}:0102+03`])
        return 'sent'
      },
      command => {
        const prepared = json(command)
        prepared.message.frames = [Buffer.from([1, 2]), Buffer.from([3])]
        return { ...prepared, settles: true }
      },
    )
    w.queue('a')
    w.pipeline.wake([1])
    await expect.poll(() => w.rows[0]!.state).toBe('succeeded')
    await w.pipeline.stop()
  })

  it('that cannot be encoded fail with their reason, and the next one leaves', async () => {
    const w = world(
      () => 'sent',
      command => (command.id === 'a' ? { ok: false, code: 'not_encodable', detail: 'no' } : json(command)),
    )
    w.queue('a', 'b')
    w.pipeline.wake([1])
    await expect.poll(() => w.rows.map(row => row.state)).toEqual(['failed', 'sent'])
    expect(w.sent).toEqual(['b'])
    await w.pipeline.stop()
  })

  it('that were encoded and then not taken wait for a wake-up, and whoever asked is answered', async () => {
    let reachable = false
    const w = world(
      () => (reachable ? 'sent' : 'not_reachable'),
      command => Promise.resolve({ ...json(command), settles: true }),
    )
    w.queue('a')
    await w.pipeline.take(1)
    await expect.poll(() => w.rows[0]!.state).toBe('queued')
    reachable = true
    await w.pipeline.take(1)
    await expect.poll(() => w.rows[0]!.state).toBe('succeeded')
    await w.pipeline.stop()
  })
})
