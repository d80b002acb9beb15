import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { type Clock, systemClock } from '../../../../lib/clock.ts'
import { type Logger, silentLogger } from '../../../../lib/log.ts'
import type { IngestPort } from '../../../transport.port.ts'
import type { MqttLimits } from '../limits.ts'
import type { TlsMaterial } from '../listener.ts'
import { createMqttTransport, type MqttTransport } from '../mqtt.transport.ts'
import type { SessionStore } from '../session-store.ts'
import type { SubscriberDoor } from '../subscriber-host.ts'
import { MemoryIngest } from './memory-ingest.ts'
import { MemoryStore } from './memory-store.ts'

export interface Harness {
  transport: MqttTransport
  ingest: MemoryIngest
  store: MemoryStore
  /** Commands confirmed after a reconnect. */
  confirmed: string[]
  /** What the session layer logged as its own failure. */
  failures: unknown[]
  port: number
  tlsPort: number
  wsPort: number
  /** A new life of the server over the same store. */
  restart(): Promise<void>
  /** The same after a kill -9: nothing the old life does has any effect any more, what was not committed is gone. */
  crash(): Promise<void>
  stop(): Promise<void>
}

/** The transport with a gateway and a store in memory, on ports chosen by the system. */
export async function startHarness(
  options: {
    limits?: Partial<MqttLimits>
    tls?: TlsMaterial
    clock?: Clock
    monotonic?: () => number
    subscribers?: SubscriberDoor
  } = {},
): Promise<Harness> {
  const clock = options.clock ?? systemClock
  const store = new MemoryStore(() => clock.now())
  const ingest = new MemoryIngest(store)
  const confirmed: string[] = []
  const failures: unknown[] = []
  let web: Server
  let life = { dead: false }

  const start = async (): Promise<void> => {
    const { tls, limits, monotonic, subscribers } = options
    life = { dead: false }
    const transport = createMqttTransport({
      ingest: mortal(ingest as IngestPort, life),
      delivered: (_device, commandId) => confirmed.push(commandId),
      store: mortal(store as SessionStore, life),
      clock,
      log: recording(failures),
      tcp: { host: '127.0.0.1', port: 0 },
      tls: tls ? { host: '127.0.0.1', port: 0, ...tls } : null,
      ...(limits ? { limits } : {}),
      ...(monotonic ? { monotonic } : {}),
      ...(subscribers ? { subscribers } : {}),
    })
    await transport.start()
    web = createServer()
    web.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head))
    await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
    harness.transport = transport
    harness.port = transport.ports().mqtt ?? 0
    harness.tlsPort = transport.ports().mqtts ?? 0
    harness.wsPort = (web.address() as AddressInfo).port
  }
  const stop = async (): Promise<void> => {
    await harness.transport.stop()
    web.closeAllConnections()
    await new Promise(resolve => web.close(resolve))
  }
  const harness: Harness = {
    transport: undefined as unknown as MqttTransport,
    ingest,
    store,
    confirmed,
    failures,
    port: 0,
    tlsPort: 0,
    wsPort: 0,
    async restart() {
      await stop()
      await start()
    },
    async crash() {
      life.dead = true
      ingest.waiting = []
      harness.transport.stop().catch(() => {})
      web.closeAllConnections()
      web.close()
      await start()
    },
    stop,
  }
  await start()
  return harness
}

function recording(failures: unknown[]): Logger {
  const log = Object.create(silentLogger) as Logger
  log.error = ((what: unknown) => failures.push(what)) as Logger['error']
  return log
}

/** The same object until its life ends; from then on calls do nothing and promises stay open. */
function mortal<T extends object>(target: T, life: { dead: boolean }): T {
  return new Proxy(target, {
    get(object, key) {
      const value = Reflect.get(object, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => (life.dead ? new Promise(() => {}) : value.apply(object, args))
    },
  })
}

/** A connected `mqtt` client that does not come back by itself. */
export async function connectClient(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  return mqtt.connectAsync(
    url,
    { reconnectPeriod: 0, connectTimeout: 60_000, rejectUnauthorized: false, ...options },
    false,
  )
}

/** Sign-in of the device that `MemoryIngest.addDevice(num)` made. */
export const credentials = (num: number): { username: string; password: string } => ({
  username: `P1/d${num}`,
  password: `secret-${num}`,
})

/** Waits until `condition` holds, looking after every turn; fails after `ms`. */
export async function until(condition: () => boolean, ms = 45_000): Promise<void> {
  const end = Date.now() + ms
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}
