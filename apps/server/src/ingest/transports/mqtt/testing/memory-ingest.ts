import type { ProductSettings } from '../../../directory/product-cache.ts'
import type { Say } from '../../../ota/chunk-server.ts'
import type { DisconnectReason, IngestPort, SessionInfo, SignInRequest, SignInResult } from '../../../transport.port.ts'
import type { DeviceRecord, RawUplink, UplinkOutcome } from '../../../uplink.ts'
import type { MemoryStore } from './memory-store.ts'

interface Taken {
  uplink: RawUplink
  done: (outcome: UplinkOutcome) => void
}

/** The gateway without a database: keeps what it is given and commits when it is told to, or at once. */
export class MemoryIngest implements IngestPort {
  readonly devices = new Map<string, { device: DeviceRecord; secret: string; enabled: boolean }>()
  /** Committed, in order. */
  readonly journal: { device: number; channel: RawUplink['channel']; text: string; outcome: UplinkOutcome }[] = []
  readonly events: string[] = []
  readonly notes: { name: string; event: string; detail: Record<string, unknown> }[] = []
  waiting: Taken[] = []
  /** Commit in the next turn of the event loop; otherwise only by `commit`. */
  automatic = true
  available = true
  room = true
  outcomeOf: (uplink: RawUplink) => UplinkOutcome = uplink => (uplink.channel.kind === 'unknown' ? 'refused' : 'stored')
  answerWith: (kind: string) => Promise<Buffer | null> = async () => Buffer.from('{}')
  private drained: (() => void)[] = []
  private scheduled = false

  constructor(private readonly store: MemoryStore) {}

  addDevice(num: number, productKey = 'P1', deviceNo = `d${num}`, secret = `secret-${num}`): DeviceRecord {
    const device: DeviceRecord = {
      num,
      id: `device-${num}`,
      tenantId: 'tenant',
      productId: 'product',
      productNum: 1,
      productKey,
      deviceNo,
      enabled: true,
      offlineDelaySeconds: 60,
      gateway: null,
      subAddress: null,
      overrides: {},
    }
    this.devices.set(`${productKey}/${deviceNo}`, { device, secret, enabled: true })
    return device
  }

  async signIn(request: SignInRequest): Promise<SignInResult> {
    if (!this.available) return { ok: false, reason: 'unavailable' }
    if (request.kind !== undefined && request.kind !== 'secret') return { ok: false, reason: 'not_allowed' }
    const known = this.devices.get(`${request.productKey}/${request.deviceNo}`)
    if (!known) return { ok: false, reason: 'unknown_device' }
    if (request.secret.toString('latin1') !== known.secret) return { ok: false, reason: 'wrong_secret' }
    return known.enabled ? { ok: true, device: known.device } : { ok: false, reason: 'disabled' }
  }

  limited(): number {
    return 0
  }

  /** Sub-devices by the name their gateway gives them. */
  readonly below = new Map<string, DeviceRecord>()
  readonly left: string[] = []
  readonly replies: { device: string; commandId: string; code: number }[] = []
  /** As stored with the product. */
  dialects: Record<string, unknown> = {}
  open: { id: string; kind: string; identifier: string | null }[] = []

  commandReply(device: DeviceRecord, reply: { commandId: string; code: number }, done?: () => void): void {
    this.replies.push({ device: device.deviceNo, commandId: reply.commandId, code: reply.code })
    done?.()
  }

  async resolveSub(_gateway: DeviceRecord, sub: string): Promise<DeviceRecord | null> {
    return this.below.get(sub) ?? null
  }

  subLeft(_gateway: DeviceRecord, device: DeviceRecord): void {
    this.left.push(device.deviceNo)
  }

  settingsOf(device: DeviceRecord): ProductSettings {
    return {
      productKey: device.productKey,
      tenantId: device.tenantId,
      linkType: 'mqtt',
      nodeType: 'device',
      format: {},
      link: {},
      dialects: this.dialects,
      subDevices: {},
      commandRules: {},
      intake: { unknownKeys: 'refuse', lenientTypes: false, badValues: 'refuse' },
    }
  }

  async openCommands(): Promise<{ id: string; kind: string; identifier: string | null }[]> {
    return this.open
  }

  frame(): void {}

  firmwareChunks(_device: DeviceRecord, payload: Buffer, say: Say): void {
    say(`ota/data/x/0`, payload)
  }

  async firmwarePull(): Promise<Buffer | null> {
    return Buffer.from('{"id":null}')
  }

  accept(uplink: RawUplink, done: (outcome: UplinkOutcome) => void): void {
    this.waiting.push({ uplink: { ...uplink, payload: Buffer.from(uplink.payload) }, done })
    if (!this.automatic || this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      if (this.automatic) this.commit()
    })
  }

  /** One flush: rows first, then the acknowledgements, as the lane does it. */
  commit(count = this.waiting.length): void {
    const batch = this.waiting.splice(0, count)
    const outcomes = batch.map(({ uplink }) => {
      const outcome = this.outcomeOf(uplink)
      this.journal.push({
        device: uplink.device.num,
        channel: uplink.channel,
        text: uplink.payload.toString(),
        outcome,
      })
      if (uplink.qos2PacketId !== undefined) this.store.insertInbound(uplink.device.num, uplink.qos2PacketId)
      return outcome
    })
    batch.forEach(({ done }, i) => {
      done(outcomes[i] as UplinkOutcome)
    })
  }

  hasRoom(): boolean {
    return this.room
  }

  onDrain(_device: DeviceRecord, resume: () => void): void {
    this.drained.push(resume)
  }

  drain(): void {
    this.room = true
    for (const resume of this.drained.splice(0)) resume()
  }

  sessionOpened(device: DeviceRecord, info: SessionInfo): void {
    this.events.push(`opened ${device.deviceNo} ${info.protocolVersion}`)
  }

  sessionReady(device: DeviceRecord): void {
    this.events.push(`ready ${device.deviceNo}`)
  }

  sessionClosed(device: DeviceRecord, reason: DisconnectReason): void {
    this.events.push(`closed ${device.deviceNo} ${reason}`)
  }

  answer(_device: DeviceRecord, query: { kind: string }): Promise<Buffer | null> {
    return this.answerWith(query.kind)
  }

  note(productKey: string, deviceNo: string, event: string, detail: Record<string, unknown>): void {
    this.notes.push({ name: `${productKey}/${deviceNo}`, event, detail })
  }
}
