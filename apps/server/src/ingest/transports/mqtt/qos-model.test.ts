import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import { A_COMMAND } from '../../testing/entries.ts'
import { type Harness, startHarness, until } from './testing/harness.ts'
import { ModelDevice } from './testing/model-device.ts'

let harness: Harness
let num = 0

beforeAll(async () => {
  harness = await startHarness({ limits: { drainTimeoutMs: 2000 } })
})
afterAll(() => harness.stop())

/** What was asked for; compared with journal and device at the end. */
interface Model {
  published: { payload: string; qos: number; counts: boolean }[]
  commands: Map<string, number>
}

interface Real {
  device: ModelDevice
  num: number
}

type Command = fc.AsyncCommand<Model, Real>

/** Lets sockets and timers have their turns, so that packets are really under way. */
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

const command = (text: string, run: (model: Model, real: Real) => Promise<void>, check = () => true): Command => ({
  check,
  run,
  toString: () => text,
})

let serial = 0
const publish = (qos: 0 | 1 | 2): Command =>
  command(`publish qos${qos}`, async (model, { device }) => {
    const payload = `m${serial++}`
    model.published.push({ payload, qos, counts: qos > 0 })
    device.publish(payload, qos)
    await turns(1)
  })
const commit = (count: number): Command =>
  command(`commit ${count}`, async () => {
    harness.ingest.commit(Math.min(count, harness.ingest.waiting.length))
    await turns(2)
  })
const reconnect = (real: Real): Promise<void> =>
  real.device.connect(harness.port, () => {
    // CONNACK has to wait for the commits of the connection before, which take their time
    setTimeout(() => {
      harness.ingest.automatic = true
      harness.ingest.commit()
    }, 3)
  })
const commands = [
  fc.constantFrom(0, 1, 1, 2, 2, 2).map(qos => publish(qos as 0 | 1 | 2)),
  fc.nat(6).map(commit),
  fc.nat(4).map(count => command(`turns ${count}`, () => turns(count))),
  fc.constant(
    command('drop the link', async (_model, { device }) => {
      device.drop()
      await turns(1)
    }),
  ),
  fc.constant(
    command('reconnect', async (_model, real) => {
      await reconnect(real)
      harness.ingest.automatic = false
    }),
  ),
  fc.constant(
    command('kill the server', async (_model, { device }) => {
      await harness.crash()
      device.drop()
    }),
  ),
  fc.constant(
    command('repeat', async (_model, { device }) => {
      device.repeat()
      await turns(1)
    }),
  ),
  fc.constant(
    command('nothing the device says gets through', async (_model, { device }) => {
      device.mute = true
    }),
  ),
  fc.constant(
    command('send a command', async (model, real) => {
      const id = `c${serial++}`
      const { device } = harness.ingest.devices.get(`P1/d${real.num}`)!
      const message = { commandId: id, suffix: 'property/set', payload: Buffer.from(id), command: A_COMMAND }
      const result = harness.transport.deliver(device, message, () => harness.confirmed.push(id))
      // What is not stored before a crash is the commands table's to repeat.
      if (result === 'sent_confirmed_later') {
        await turns(2)
        model.commands.set(id, 2)
      }
    }),
  ),
]

const count = (list: string[], item: string): number => list.filter(one => one === item).length

describe.each([4, 5] as const)('QoS state machine against a model, level %i', version => {
  it('stores QoS 2 exactly once and QoS 1 at least once, in order, over cuts and kills', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async list => {
        runs++
        const real: Real = { device: new ModelDevice(++num, version), num }
        const model: Model = { published: [], commands: new Map() }
        harness.ingest.addDevice(num)
        harness.ingest.waiting = []
        harness.confirmed.length = 0
        await reconnect(real)
        harness.ingest.automatic = false

        await fc.asyncModelRun(() => ({ model, real }), list)

        // Peace at last: everything open has to come to its end.
        real.device.drop()
        await reconnect(real)
        await until(() => {
          if (!real.device.connected) return false
          harness.ingest.commit()
          return real.device.open.size === 0 && (harness.store.outbound.get(real.num)?.size ?? 0) === 0
        })

        const stored = harness.ingest.journal.filter(row => row.device === real.num).map(row => row.text)
        const wanted = model.published.filter(message => message.counts)
        for (const { payload, qos } of wanted) {
          const times = count(stored, payload)
          if (qos === 2) expect([payload, times]).toEqual([payload, 1])
          else expect(times).toBeGreaterThanOrEqual(1)
        }
        const first = [...new Set(stored)].filter(payload => wanted.some(message => message.payload === payload))
        expect(first).toEqual(wanted.map(message => message.payload))
        expect(real.device.acknowledged.toSorted()).toEqual(wanted.map(message => message.payload).toSorted())

        const received = real.device.received.map(message => message.payload)
        for (const id of model.commands.keys()) {
          expect([id, count(received, id)]).toEqual([id, 1])
          expect([id, count(harness.confirmed, id)]).toEqual([id, 1])
        }
        expect([...(harness.store.inbound.get(real.num) ?? [])]).toEqual([])
        real.device.drop()
      }),
      { numRuns: 60, seed: 20260101, endOnFailure: false },
    )
    expect(runs).toBeGreaterThan(0)
  })
})
