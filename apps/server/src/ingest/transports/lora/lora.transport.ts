import type { Clock } from '../../../lib/clock.ts'
import type { LoraAct, LoraCommand, LoraOutcome, SessionInfo } from '../../../modules/devices/gateway.port.ts'
import { ShortLinks } from '../../presence/short-links.ts'
import type { DisconnectReason, DownlinkMessage, IngestPort, Transport } from '../../transport.port.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'

export interface LoraTransportOptions {
  port: IngestPort
  clock: Clock
  /** Time that never jumps, for silence. */
  monotonic: Clock
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  takeCommands(device: DeviceRecord): Promise<void>
  delivered(device: number, commandId: string): void
  returnCommands(device: number, ids: string[]): void
  /** A message on its way will not be confirmed; `expired`: what the network server said when it dropped it. */
  undelivered(device: number, commandId: string, expired: string | null): void
  /** Nothing that is on its way to the device counts any longer. */
  forgetCommands(device: number): void
  /** The product's format reads bytes; without one values have to come by name. */
  readsBytes(device: DeviceRecord): boolean
}

export interface LoraTransport extends Transport {
  /** What a network server said of the device, or is asked by whoever talks with it. */
  act(device: DeviceRecord, act: LoraAct): Promise<LoraOutcome>
  adopt(device: DeviceRecord, address: string): SessionInfo
  metrics(): Record<string, number>
}

/** Commands of one device that wait for the network server. */
const MOST_WAITING = 16

/**
 * Devices behind a LoRaWAN network server. Their uplinks are handed in by whoever listens to the server, who also takes
 * what is to be sent. A device is there until it was silent for its offline delay.
 */
export function createLoraTransport(options: LoraTransportOptions): LoraTransport {
  const { port, clock } = options
  /** Taken from the queue and not yet fetched for the network server. */
  const outbox = new Map<number, LoraCommand[]>()
  let uplinks = 0
  const links = new ShortLinks({
    ...options,
    transport: 'lora',
    closed(device, reason) {
      const left = outbox.get(device.num)
      outbox.delete(device.num)
      options.forgetCommands(device.num)
      if (left)
        options.returnCommands(
          device.num,
          left.map(({ id }) => id),
        )
      options.closed(device, reason)
    },
    isWaiting: () => false,
  })

  function send(device: DeviceRecord, channel: UplinkChannel, payload: Buffer): Promise<LoraOutcome> {
    return new Promise(resolve =>
      port.accept({ device, channel, payload, arrivedAt: clock.now() }, (outcome, reason) =>
        resolve(outcome === 'stored' ? { outcome } : { outcome: 'refused', reason: reason ?? 'not_storable' }),
      ),
    )
  }

  return {
    async act(device, act) {
      switch (act.kind) {
        case 'heard':
          links.seen(device, act.gatewayId, act.version)
          return { outcome: 'stored' }
        case 'uplink': {
          if (!port.hasRoom(device) || port.limited(device) > 0) return { outcome: 'unavailable', reason: 'overloaded' }
          const info = links.seen(device, act.gatewayId, act.version)
          const bytes = Buffer.from(act.bytes)
          info.messagesIn++
          info.bytesIn += bytes.length
          uplinks++
          port.frame(device, 'up', bytes, { channel: act.port === null ? '' : `fPort ${act.port}` })
          // A frame without a port or bytes only says that the device is there.
          if (act.port === null || (bytes.length === 0 && act.values === null)) return { outcome: 'stored' }
          if (options.readsBytes(device)) return send(device, { kind: 'raw', port: act.port }, bytes)
          return act.values === null
            ? send(device, { kind: 'raw', port: act.port }, bytes)
            : send(device, { kind: 'property' }, Buffer.from(act.values))
        }
        case 'take': {
          const taken = outbox.get(device.num) ?? []
          outbox.delete(device.num)
          return { outcome: 'commands', commands: taken }
        }
        case 'delivered':
          options.delivered(device.num, act.commandId)
          return { outcome: 'stored' }
        case 'returned':
          options.returnCommands(device.num, [...act.commandIds])
          return { outcome: 'stored' }
        case 'reply': {
          const { commandId, code, message } = act
          port.commandReply(device, { commandId, code, ...(message === null ? {} : { message }) })
          if (code !== 0) options.undelivered(device.num, commandId, null)
          return { outcome: 'stored' }
        }
        case 'expired':
          options.undelivered(device.num, act.commandId, act.message)
          return { outcome: 'stored' }
      }
    },
    adopt: (device, address) => links.adopt(device, address),
    metrics: () => ({ lora_uplinks: uplinks, lora_waiting_state: outbox.size }),
    async start() {
      links.start()
    },
    async stop() {
      links.stop()
    },
    deliver(device, message: DownlinkMessage) {
      const info = links.session(device.num)
      if (!info || message.command.kind === 'firmware') return 'not_reachable'
      const waiting = outbox.get(device.num) ?? []
      if (waiting.length >= MOST_WAITING) return 'not_reachable'
      const { commandId, frames, command, lora = null } = message
      waiting.push({
        id: commandId,
        frames: frames?.map(frame => new Uint8Array(frame)) ?? null,
        // For a codec of the network server.
        object: frames ? null : JSON.stringify(command.params),
        way: lora,
      })
      outbox.set(device.num, waiting)
      for (const frame of frames ?? [message.payload]) {
        info.bytesOut += frame.length
        port.frame(device, 'down', frame, { channel: message.suffix })
      }
      info.messagesOut++
      return 'sent_confirmed_later'
    },
    kick: (device, reason) => links.close(device, reason),
    session: device => links.session(device),
  }
}
