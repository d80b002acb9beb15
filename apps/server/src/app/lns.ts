import { inBackground } from '../lib/background.ts'
import { createAddressGuard } from '../lib/outbound/outbound-guard.ts'
import type { Feed, FeedFactory } from '../modules/lora/feed.port.ts'
import type { Lns, LnsFactory } from '../modules/lora/lns.port.ts'

const TIMEOUT_MS = 10_000
/** Where the simulated ChirpStack of the demo company listens; nobody but the demo makes a connection of that kind. */
const SIMULATED = ['127.0.0.1/32']

/** Clients of ChirpStack servers. gRPC and its messages are read from the disk when the first of them is asked for. */
export function createLns(options: { outboundAllow: readonly string[]; now(): number }): LnsFactory {
  const guard = createAddressGuard(options.outboundAllow)
  const near = createAddressGuard(SIMULATED)
  return (access, simulated) => {
    let client: Promise<Lns> | null = null
    const ready = () => {
      client ??= import('../adapters/lns/chirpstack/chirpstack.ts').then(({ createChirpStack }) =>
        createChirpStack(access, { guard: simulated ? near : guard, timeoutMs: TIMEOUT_MS, now: options.now }),
      )
      return client
    }
    const late =
      <K extends Exclude<keyof Lns, 'close'>>(name: K) =>
      async (...args: Parameters<Lns[K]>) =>
        ((await ready())[name] as (...args: unknown[]) => unknown)(...args)
    return {
      test: late('test'),
      profiles: late('profiles'),
      profile: late('profile'),
      createProfile: late('createProfile'),
      updateProfile: late('updateProfile'),
      removeProfile: late('removeProfile'),
      gateways: late('gateways'),
      gateway: late('gateway'),
      createGateway: late('createGateway'),
      updateGateway: late('updateGateway'),
      removeGateway: late('removeGateway'),
      metrics: late('metrics'),
      regions: late('regions'),
      region: late('region'),
      enqueue: late('enqueue'),
      applications: late('applications'),
      putDevice: late('putDevice'),
      removeDevice: late('removeDevice'),
      session: late('session'),
      flushQueue: late('flushQueue'),
      gatewayCertificate: late('gatewayCertificate'),
      traffic: late('traffic'),
      multicastGroups: late('multicastGroups'),
      multicastGroup: late('multicastGroup'),
      createMulticastGroup: late('createMulticastGroup'),
      removeMulticastGroup: late('removeMulticastGroup'),
      addToMulticastGroup: late('addToMulticastGroup'),
      removeFromMulticastGroup: late('removeFromMulticastGroup'),
      sendToMulticastGroup: late('sendToMulticastGroup'),
      close: () => {
        if (client)
          inBackground(
            'closing a client of ChirpStack',
            client.then(one => one.close()),
          )
      },
    } as Lns
  }
}

/** Listeners to the brokers of ChirpStack servers; read from the disk when a connection first names one. */
export function createLnsFeeds(options: { outboundAllow: readonly string[]; pauseMs?: number }): FeedFactory {
  const guard = createAddressGuard(options.outboundAllow)
  const near = createAddressGuard(SIMULATED)
  return (access, simulated, events) => {
    let closed = false
    const feed = import('../adapters/lns/chirpstack/mqtt-feed.ts').then<Feed | null>(({ createMqttFeed }) =>
      closed
        ? null
        : createMqttFeed(access, events, {
            guard: simulated ? near : guard,
            ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
          }),
    )
    return {
      async close() {
        closed = true
        await (await feed)?.close()
      },
    }
  }
}
