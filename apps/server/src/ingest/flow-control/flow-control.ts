import { isRawKey } from '@thingwright/thing-model'
import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Lanes } from '../lanes.port.ts'
import { continues, isMessage } from '../message-count.ts'
import { type DeviceRecord, type JournalEntry, JournalKind } from '../uplink.ts'
import type { CompanyFlowState, FlowQueries } from './flow.repo.ts'
import { TokenBucket } from './token-bucket.ts'

export interface FlowControlOptions {
  queries: FlowQueries
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  /** Ms until a device may go on whose messages are ahead of the clock; absent: none ever is. */
  ahead?(device: number): number
  /** How often counters are written and limits are read, ms. */
  flushMs?: number
}

const FLUSH_MS = 10_000
const TICK_MS = 20
/** Messages a second of a company whose points of the day are used up: nothing is lost, everything waits. */
const TRICKLE = 1

interface CompanyFlow {
  readonly tenantId: string
  /** Null: not limited now. */
  bucket: TokenBucket | null
  messagesPerSecond: number | null
  pointsPerDay: number | null
  /** Of the day, as far as it was written; `points` comes on top. */
  pointsToday: number
  messages: number
  points: number
  slowed: number
  refused: number
  /** What came in this second, whatever it held: the limits are of these. */
  packets: number
  /** The most `packets` of a second. */
  peak: number
  waiting: (() => void)[]
}

interface DeviceFlow {
  readonly tenantId: string
  bucket: TokenBucket | null
  slowed: number
  refused: number
}

/**
 * How fast devices and companies may send. Who is over the limit is read more slowly (MQTT, TCP: `hasRoom` is false and
 * `onRoom` calls back), or refused and told when to come again (HTTP, UDP, CoAP: `limited`). Both are counted, written
 * every ten seconds, and shown at the device and in the company's usage. For a company without limits a message costs
 * one look-up and three additions.
 */
export class FlowControl {
  private readonly companies = new Map<string, CompanyFlow>()
  private readonly devices = new Map<number, DeviceFlow>()
  private flusher: NodeJS.Timeout | null = null
  private seconds: NodeJS.Timeout | null = null
  private ticker: NodeJS.Timeout | null = null
  private readonly timers = new Set<NodeJS.Timeout>()
  private flushing: Promise<void> = Promise.resolve()

  constructor(private readonly options: FlowControlOptions) {}

  start(): void {
    this.flusher = setInterval(
      () => inBackground('writing counters of flow control', this.flush()),
      this.options.flushMs ?? FLUSH_MS,
    )
    this.seconds = setInterval(() => this.endSecond(), 1000)
    this.flusher.unref()
    this.seconds.unref()
  }

  async stop(): Promise<void> {
    for (const timer of [this.flusher, this.seconds, this.ticker]) if (timer) clearInterval(timer)
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    await this.flush()
  }

  /** A message of the device came in. */
  took(device: DeviceRecord): void {
    const company = this.companyOf(device)
    company.packets++
    if (company.bucket === null && device.messagesPerSecond == null) return
    const now = this.options.monotonic.now()
    company.bucket?.take(now)
    if (device.messagesPerSecond != null) this.bucketOf(device, now).take(now)
  }

  /** Lanes that count the values on their way into the journal. */
  counting(lanes: Pick<Lanes, 'append'>): Pick<Lanes, 'append'> {
    return {
      append: (entries, done, qos2) => {
        this.count(entries)
        lanes.append(entries, done, qos2)
      },
    }
  }

  private count(entries: readonly JournalEntry[]): void {
    let before: JournalEntry | undefined
    for (const entry of entries) {
      const company = this.companyOf(entry.device)
      if (isMessage(entry.kind) && !continues(before, entry)) company.messages++
      before = entry
      if (entry.kind !== JournalKind.property && entry.kind !== JournalKind.event) continue
      let points = 0
      // A raw value stands beside its value and is no point of its own.
      if (entry.properties) for (const key in entry.properties) if (!isRawKey(key)) points++
      company.points += points === 0 ? 1 : points
      if (company.pointsPerDay !== null && company.bucket?.rate !== TRICKLE) this.limit(company)
    }
  }

  hasRoom(device: DeviceRecord): boolean {
    return this.wait(device) === 0
  }

  /** Ms until the device may send again; above 0 a message counts as refused. */
  limited(device: DeviceRecord): number {
    const ms = this.wait(device)
    if (ms === 0) return 0
    this.companyOf(device).refused++
    this.deviceOf(device).refused++
    return Math.max(1, Math.ceil(ms))
  }

  /** Calls back once the device may send again. Of a company's devices those go first that have waited longest. */
  onRoom(device: DeviceRecord, resume: () => void): void {
    const company = this.companyOf(device)
    company.slowed++
    this.deviceOf(device).slowed++
    this.queue(device, company, resume)
  }

  private queue(device: DeviceRecord, company: CompanyFlow, resume: () => void): void {
    const now = this.options.monotonic.now()
    const own = Math.max(this.ownWait(device, now), this.options.ahead?.(device.num) ?? 0)
    if (own > 0) {
      // Steps of 10 ms: thousands of waiting devices share few timers.
      const timer = setTimeout(
        () => {
          this.timers.delete(timer)
          this.queue(device, company, resume)
        },
        Math.ceil(own / 10) * 10,
      )
      this.timers.add(timer)
    } else if (company.bucket !== null && company.bucket.wait(now) > 0) {
      company.waiting.push(resume)
      this.ticker ??= setInterval(() => this.tick(), TICK_MS)
    } else resume()
  }

  /** As many go on as their company has messages to give. */
  private tick(): void {
    const now = this.options.monotonic.now()
    let waiting = 0
    for (const company of this.companies.values()) {
      let held = company.waiting.length
      while (held > 0 && (company.bucket === null || company.bucket.wait(now) === 0)) {
        held--
        company.waiting.shift()?.()
      }
      waiting += company.waiting.length
    }
    if (waiting > 0 || !this.ticker) return
    clearInterval(this.ticker)
    this.ticker = null
  }

  private wait(device: DeviceRecord): number {
    const company = this.companyOf(device)
    const ahead = this.options.ahead?.(device.num) ?? 0
    if (company.bucket === null && device.messagesPerSecond == null) return ahead
    const now = this.options.monotonic.now()
    return Math.max(ahead, this.ownWait(device, now), company.bucket?.wait(now) ?? 0)
  }

  private ownWait(device: DeviceRecord, now: number): number {
    return device.messagesPerSecond == null ? 0 : this.bucketOf(device, now).wait(now)
  }

  private companyOf(device: DeviceRecord): CompanyFlow {
    const known = this.companies.get(device.tenantId)
    if (known) return known
    const company: CompanyFlow = {
      tenantId: device.tenantId,
      bucket: null,
      messagesPerSecond: null,
      pointsPerDay: null,
      pointsToday: 0,
      messages: 0,
      points: 0,
      slowed: 0,
      refused: 0,
      packets: 0,
      peak: 0,
      waiting: [],
    }
    this.companies.set(device.tenantId, company)
    // Its limits count as soon as they are known.
    if (this.flusher) inBackground('writing counters of flow control', this.flush())
    return company
  }

  private deviceOf(device: DeviceRecord): DeviceFlow {
    const known = this.devices.get(device.num)
    if (known) return known
    const made: DeviceFlow = { tenantId: device.tenantId, bucket: null, slowed: 0, refused: 0 }
    this.devices.set(device.num, made)
    return made
  }

  private bucketOf(device: DeviceRecord, now: number): TokenBucket {
    const flow = this.deviceOf(device)
    const rate = device.messagesPerSecond as number
    if (flow.bucket === null) flow.bucket = new TokenBucket(rate, now)
    else if (flow.bucket.rate !== rate) flow.bucket.rate = rate
    return flow.bucket
  }

  /** Puts the limits into force that the company's settings and its day ask for. */
  private limit(company: CompanyFlow): void {
    const { messagesPerSecond, pointsPerDay } = company
    const dayIsOver = pointsPerDay !== null && company.pointsToday + company.points >= pointsPerDay
    const rate = dayIsOver ? TRICKLE : messagesPerSecond
    if (rate === null) company.bucket = null
    else if (company.bucket === null || company.bucket.rate !== rate) {
      company.bucket = new TokenBucket(rate, this.options.monotonic.now())
    }
  }

  private endSecond(): void {
    for (const company of this.companies.values()) {
      company.peak = Math.max(company.peak, company.packets)
      company.packets = 0
    }
  }

  /** Writes what was counted and reads the limits anew; one at a time. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write())
    return this.flushing
  }

  private async write(): Promise<void> {
    const companies = [...this.companies.values()].map(company => {
      const { tenantId, messages, points, slowed, refused, peak } = company
      return { tenantId, messages, points, slowed, refused, peak }
    })
    const devices = [...this.devices]
      .filter(([, flow]) => flow.slowed + flow.refused > 0)
      .map(([device, { tenantId, slowed, refused }]) => ({ device, tenantId, slowed, refused }))
    try {
      if (companies.length > 0) {
        const states = await this.options.queries.companies(companies)
        for (const delta of companies) this.subtract(delta)
        for (const state of states) this.adopt(state)
      }
      if (devices.length > 0) {
        await this.options.queries.devices(devices)
        for (const { device, slowed, refused } of devices) {
          const flow = this.devices.get(device) as DeviceFlow
          flow.slowed -= slowed
          flow.refused -= refused
        }
      }
      this.prune()
    } catch (error) {
      // Counted on, and written the next time.
      this.options.logger.warn({ err: error }, 'flow of companies not written')
    }
  }

  private subtract(delta: {
    tenantId: string
    messages: number
    points: number
    slowed: number
    refused: number
  }): void {
    const company = this.companies.get(delta.tenantId) as CompanyFlow
    company.messages -= delta.messages
    company.points -= delta.points
    company.slowed -= delta.slowed
    company.refused -= delta.refused
    company.peak = 0
  }

  private adopt(state: CompanyFlowState): void {
    const company = this.companies.get(state.tenantId)
    if (!company) return
    company.pointsToday = state.pointsToday
    company.messagesPerSecond = state.messagesPerSecond
    company.pointsPerDay = state.pointsPerDay
    this.limit(company)
  }

  /** Devices that stand at rest cost nothing. */
  private prune(): void {
    const now = this.options.monotonic.now()
    for (const [device, flow] of this.devices) {
      if (flow.slowed + flow.refused === 0 && (flow.bucket === null || flow.bucket.isFull(now)))
        this.devices.delete(device)
    }
  }
}
