import type { Clock } from '../../../lib/clock.ts'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import type { PlatformAct, PlatformOutcome } from '../../../modules/telecom/platform-link.port.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import type { DisconnectReason, IngestPort, Transport } from '../../transport.port.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'

export interface PlatformTransportOptions {
  port: IngestPort
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
}

export interface PlatformTransport extends Transport {
  /** What its devices are told leaves by their platform. */
  readonly takesCommands: false
  adopt(device: DeviceRecord, address: string): SessionInfo
  /** Does as the platform says; the answer comes when the message is durable. */
  act(device: DeviceRecord, address: string, act: PlatformAct): Promise<PlatformOutcome>
}

/**
 * Devices that speak to another platform, which tells us (NB-IoT). They are there until their platform says otherwise or
 * they were silent for their offline delay. What they are told leaves by the platform too, not by this transport.
 */
export function createPlatformTransport(options: PlatformTransportOptions): PlatformTransport {
  const { port, clock } = options
  const links = new ShortLinks({ ...options, transport: 'platform', isWaiting: () => false })

  function take(device: DeviceRecord, address: string, channel: UplinkChannel, topic: string, payload: Buffer) {
    const info = links.seen(device, address, '')
    info.messagesIn++
    info.bytesIn += payload.length
    port.frame(device, 'up', payload, { channel: topic })
    return new Promise<PlatformOutcome>(resolve => {
      port.accept({ device, channel, payload, arrivedAt: clock.now() }, (outcome, reason, path) =>
        resolve(outcome === 'stored' ? { outcome } : { outcome, reason: reason ?? 'not_storable', path: path ?? '' }),
      )
    })
  }

  return {
    takesCommands: false,
    async act(device, address, act) {
      if (act.kind === 'offline') {
        links.close(device.num, 'client')
        return { outcome: 'stored' }
      }
      if (act.kind === 'online') {
        links.seen(device, address, '')
        return { outcome: 'stored' }
      }
      if (!port.hasRoom(device) || port.limited(device) > 0) return { outcome: 'unavailable', reason: 'overloaded' }
      switch (act.kind) {
        case 'property':
          return take(device, address, { kind: 'property' }, 'property/post', Buffer.from(act.payload))
        case 'event': {
          const { identifier } = act
          const topic = `event/${identifier}/post`
          return take(device, address, { kind: 'event', identifier }, topic, Buffer.from(act.payload))
        }
        case 'raw':
          return take(device, address, { kind: 'raw' }, 'raw/up', Buffer.from(act.bytes))
      }
    },
    adopt: (device, address) => links.adopt(device, address),
    async start() {
      links.start()
    },
    async stop() {
      links.stop()
    },
    deliver: () => 'not_reachable',
    kick: (device, reason) => links.close(device, reason),
    session: device => links.session(device),
  }
}
