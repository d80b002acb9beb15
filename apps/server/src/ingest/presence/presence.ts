import type { Clock } from '../../lib/clock.ts'
import { type SessionInfo, SHORT_LINKS } from '../../modules/devices/gateway.port.ts'
import type { Lanes } from '../lanes.port.ts'
import type { DisconnectReason } from '../transport.port.ts'
import { type DeviceRecord, type JournalEntry, JournalKind, Quality } from '../uplink.ts'
import type { SessionRow } from './device-sessions.repo.ts'

/** The links of one device: a connection (MQTT), a short link (HTTP), or both. It is online while it has any. */
interface Links {
  device: DeviceRecord
  connection: SessionInfo | null
  short: SessionInfo | null
}

export interface PresenceOptions {
  lanes: Pick<Lanes, 'append'>
  rows: { put(row: SessionRow): void; remove(device: number): void }
  clock: Clock
  /** A device came or went. */
  changed?(device: DeviceRecord, online: boolean): void
}

/**
 * Who is online. Says so in the journal, where the consumers find it in order with everything else the device did, and
 * keeps one device_sessions row per device for other processes and for the next start.
 */
export class Presence {
  private readonly live = new Map<number, Links>()

  constructor(private readonly options: PresenceOptions) {}

  get size(): number {
    return this.live.size
  }

  has(device: number): boolean {
    return this.live.has(device)
  }

  device(device: number): DeviceRecord | null {
    return this.live.get(device)?.device ?? null
  }

  devices(): IterableIterator<number> {
    return this.live.keys()
  }

  devicesOf(product: number): number[] {
    return [...this.live.values()].filter(links => links.device.productNum === product).map(links => links.device.num)
  }

  opened(device: DeviceRecord, info: SessionInfo): void {
    const before = this.live.get(device.num)
    this.link(device, info)
    if (before) return
    this.append(device, JournalKind.online, { transport: info.transport, address: info.address })
    this.options.changed?.(device, true)
  }

  /** A session that went on over a restart of the gateway: nothing is new about it. */
  adopt(device: DeviceRecord, info: SessionInfo): void {
    this.link(device, info)
  }

  /** What the session row says changed: subscriptions. */
  changed(device: DeviceRecord, info: SessionInfo): void {
    if (this.live.has(device.num)) this.link(device, info)
  }

  closed(device: DeviceRecord, short: boolean, reason: DisconnectReason): void {
    const links = this.live.get(device.num)
    const info = short ? links?.short : links?.connection
    if (!links || !info) return
    if (short) links.short = null
    else links.connection = null
    const left = links.connection ?? links.short
    if (left) {
      this.options.rows.put(rowOf(device.num, left))
      return
    }
    this.live.delete(device.num)
    this.options.rows.remove(device.num)
    this.append(device, JournalKind.offline, { reason, transport: info.transport, address: info.address })
    this.options.changed?.(device, false)
  }

  /** A device shown as online whose session a crash ended. */
  lost(device: DeviceRecord, transport: string | null, address: string | null, committed: () => void): void {
    this.append(device, JournalKind.offline, { reason: 'server_stopping', transport, address }, committed)
  }

  private link(device: DeviceRecord, info: SessionInfo): void {
    const links = this.live.get(device.num) ?? { device, connection: null, short: null }
    links.device = device
    if (SHORT_LINKS.has(info.transport)) links.short = info
    else links.connection = info
    this.live.set(device.num, links)
    this.options.rows.put(rowOf(device.num, links.connection ?? info))
  }

  private append(
    device: DeviceRecord,
    kind: JournalKind,
    values: Record<string, unknown>,
    committed: () => void = nothing,
  ): void {
    const now = this.options.clock.now()
    const entry: JournalEntry = {
      device,
      kind,
      arrivedAt: now,
      ts: now,
      deviceTs: null,
      quality: Quality.good,
      values: JSON.stringify(values),
      raw: null,
      refusedReason: null,
      late: false,
    }
    this.options.lanes.append([entry], committed)
  }
}

function nothing(): void {}

function rowOf(device: number, info: SessionInfo): SessionRow {
  return {
    device,
    transport: info.transport,
    // PostgreSQL stores no NUL; one client's id must not cost the whole batch.
    clientId: info.clientId.replaceAll('\0', ''),
    address: info.address,
    protocolVersion: info.protocolVersion,
    keepAliveSeconds: info.keepAliveSeconds,
    subscriptions: info.subscriptions,
    connectedAt: info.connectedAt,
  }
}
