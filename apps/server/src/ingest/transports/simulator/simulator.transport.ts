import type { Clock } from '../../../lib/clock.ts'
import type { SimulatedAct, SimulatedOutcome } from '../../../modules/diagnosis/diagnosis.port.ts'
import type { DisconnectReason, IngestPort, SessionInfo, Transport } from '../../transport.port.ts'
import type { DeviceRecord, UplinkChannel } from '../../uplink.ts'

export interface SimulatorOptions {
  port: IngestPort
  clock: Clock
  /** Time that never jumps, for silence. */
  monotonic: Clock
  /** A simulated device that nobody moved for this long goes offline, ms. */
  idleMs?: number
}

export interface SimulatorTransport extends Transport {
  /** Does as the device would; the answer comes when the message is durable. */
  act(device: DeviceRecord, who: string, act: SimulatedAct): Promise<SimulatedOutcome>
  /** Ends what was silent for too long; called every few seconds. */
  tick(): void
}

interface Simulated {
  device: DeviceRecord
  info: SessionInfo
  movedAt: number
}

const IDLE_MS = 120_000
/** As for a device over HTTP. */
const LONGEST = 65_536
const TICK_MS = 5_000

/**
 * Devices that a person acts for in the browser. Their messages take the way of every message: only the session says
 * that it is simulated, and the log marks what came in it. A device that really connects takes its place back.
 */
export function createSimulator(options: SimulatorOptions): SimulatorTransport {
  const { port, clock, monotonic } = options
  const idleMs = options.idleMs ?? IDLE_MS
  const sessions = new Map<number, Simulated>()
  let timer: NodeJS.Timeout | null = null

  function sessionFor(device: DeviceRecord, who: string): Simulated {
    const known = sessions.get(device.num)
    if (known) {
      known.device = device
      known.movedAt = monotonic.now()
      return known
    }
    const simulated: Simulated = {
      device,
      movedAt: monotonic.now(),
      info: {
        transport: 'simulator',
        clientId: '',
        // The acting person stands in place of an address.
        address: who,
        protocolVersion: '',
        keepAliveSeconds: Math.round(idleMs / 1_000),
        connectedAt: clock.now(),
        subscriptions: [],
        bytesIn: 0,
        bytesOut: 0,
        messagesIn: 0,
        messagesOut: 0,
      },
    }
    sessions.set(device.num, simulated)
    port.sessionOpened(device, simulated.info)
    return simulated
  }

  function end(device: number, reason: DisconnectReason): void {
    const simulated = sessions.get(device)
    if (!simulated) return
    sessions.delete(device)
    port.sessionClosed(simulated.device, reason)
  }

  function send(simulated: Simulated, channel: UplinkChannel, topic: string, payload: Buffer) {
    const { device, info } = simulated
    if (payload.length > LONGEST) return Promise.resolve<SimulatedOutcome>({ outcome: 'refused', reason: 'too_large' })
    info.messagesIn++
    info.bytesIn += payload.length
    port.frame(device, 'up', payload, { channel: topic, note: 'simulated' })
    return new Promise<SimulatedOutcome>(resolve => {
      port.accept({ device, channel, payload, arrivedAt: clock.now() }, (outcome, reason) =>
        resolve(outcome === 'stored' ? { outcome } : { outcome: 'refused', reason: reason ?? 'not_storable' }),
      )
    })
  }

  return {
    async act(device, who, act) {
      if (act.kind === 'close') {
        end(device.num, 'client')
        return { outcome: 'closed' }
      }
      if (!port.hasRoom(device) || port.limited(device) > 0) return { outcome: 'unavailable', reason: 'overloaded' }
      const simulated = sessionFor(device, who)
      switch (act.kind) {
        case 'open':
          return { outcome: 'open' }
        case 'property':
          return send(simulated, { kind: 'property' }, 'property/post', Buffer.from(act.payload))
        case 'event': {
          const { identifier } = act
          return send(simulated, { kind: 'event', identifier }, `event/${identifier}/post`, Buffer.from(act.payload))
        }
        case 'raw':
          return send(simulated, { kind: 'raw' }, 'raw/up', Buffer.from(act.bytes))
        case 'reply': {
          const { commandId, code, message, data } = act
          const reply = { commandId, code, ...(message === null ? {} : { message }), data }
          port.frame(device, 'up', Buffer.from(JSON.stringify(reply)), { channel: 'reply', note: 'simulated' })
          port.commandReply(device, reply)
          return { outcome: 'stored' }
        }
      }
    },
    tick() {
      const now = monotonic.now()
      for (const [device, { movedAt }] of [...sessions]) if (now - movedAt >= idleMs) end(device, 'no_data')
    },
    async start() {
      timer = setInterval(() => this.tick(), TICK_MS)
      timer.unref()
    },
    async stop() {
      if (timer) clearInterval(timer)
      for (const device of [...sessions.keys()]) end(device, 'server_stopping')
    },
    deliver(device, message) {
      const simulated = sessions.get(device.num)
      if (!simulated) return 'not_reachable'
      simulated.info.messagesOut++
      for (const bytes of message.frames ?? [message.payload]) {
        simulated.info.bytesOut += bytes.length
        port.frame(device, 'down', bytes, { channel: message.suffix, note: 'simulated' })
      }
      return 'sent'
    },
    kick: (device, reason) => end(device, reason),
    session: device => sessions.get(device)?.info ?? null,
  }
}
