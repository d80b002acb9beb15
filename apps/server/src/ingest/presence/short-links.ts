import type { Clock } from '../../lib/clock.ts'
import type { SessionInfo, TransportName } from '../../modules/devices/gateway.port.ts'
import { TimerWheel } from '../memory/timer-wheel.ts'
import type { DisconnectReason } from '../transport.port.ts'
import type { DeviceRecord } from '../uplink.ts'

interface ShortLink {
  device: DeviceRecord
  info: SessionInfo
  /** On the monotonic clock. */
  seenAt: number
}

export interface ShortLinksOptions {
  transport: TransportName
  clock: Clock
  /** Time that never jumps, for silence. */
  monotonic: Clock
  opened(device: DeviceRecord, info: SessionInfo): void
  closed(device: DeviceRecord, reason: DisconnectReason): void
  /** Whether a request of the device is open: it is not silent then. */
  isWaiting(device: number): boolean
}

/**
 * Sessions of devices that keep no connection: open with the first request, closed after the device's offline delay
 * without one. A request costs one look-up; silence costs one look per delay, never a walk over all devices.
 */
export class ShortLinks {
  private readonly links = new Map<number, ShortLink>()
  private readonly wheel: TimerWheel<ShortLink>
  private timer: NodeJS.Timeout | null = null

  constructor(private readonly options: ShortLinksOptions) {
    this.wheel = new TimerWheel(options.monotonic.now())
  }

  start(): void {
    this.timer = setInterval(() => this.tick(), 1_000)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
  }

  /** A request came: the session is open, and its device was heard of just now. */
  seen(device: DeviceRecord, address: string, protocolVersion: string): SessionInfo {
    const link = this.links.get(device.num)
    if (link) {
      link.device = device
      link.seenAt = this.options.monotonic.now()
      link.info.address = address
      return link.info
    }
    const opened = this.add(device, address, protocolVersion)
    this.options.opened(device, opened.info)
    return opened.info
  }

  /** A session of an earlier life of the gateway: it goes on, and ends if the device stays silent. */
  adopt(device: DeviceRecord, address: string): SessionInfo {
    return (this.links.get(device.num) ?? this.add(device, address, '')).info
  }

  session(device: number): SessionInfo | null {
    return this.links.get(device)?.info ?? null
  }

  close(device: number, reason: DisconnectReason): void {
    const link = this.links.get(device)
    if (!link) return
    this.links.delete(device)
    this.options.closed(link.device, reason)
  }

  /** Ends what was silent for too long; called every second. */
  tick(): void {
    const now = this.options.monotonic.now()
    for (const link of this.wheel.due(now)) {
      if (this.links.get(link.device.num) !== link) continue
      if (this.options.isWaiting(link.device.num)) link.seenAt = now
      const due = link.seenAt + link.device.offlineDelaySeconds * 1_000
      if (due <= now) this.close(link.device.num, 'no_data')
      else this.wheel.add(link, due)
    }
  }

  private add(device: DeviceRecord, address: string, protocolVersion: string): ShortLink {
    const now = this.options.monotonic.now()
    const link: ShortLink = {
      device,
      seenAt: now,
      info: {
        transport: this.options.transport,
        clientId: '',
        address,
        protocolVersion,
        keepAliveSeconds: device.offlineDelaySeconds,
        connectedAt: this.options.clock.now(),
        subscriptions: [],
        bytesIn: 0,
        bytesOut: 0,
        messagesIn: 0,
        messagesOut: 0,
      },
    }
    this.links.set(device.num, link)
    this.wheel.add(link, now + device.offlineDelaySeconds * 1_000)
    return link
  }
}
