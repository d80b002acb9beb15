import { inBackground } from '../../../lib/background.ts'
import { bytesOf } from '../../../lib/links/written-bytes.ts'
import type { PollingState } from '../../../modules/diagnosis/diagnosis.port.ts'
import { decodeRegisters, divide, readPdu } from '../../codecs/modbus/index.ts'
import type { DeliveryResult, DownlinkMessage } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { withoutSecret } from '../links/registrar.ts'
import type { Driver } from '../tcp/driver.ts'
import type { TcpSession } from '../tcp/tcp-session.ts'
import { Bus, QUIET_MS } from './bus.ts'
import type { ModbusHost } from './modbus-host.ts'
import { describeFailure, writeRegisters } from './register-write.ts'
import { SilentSlaves } from './silent-slaves.ts'
import { nextPoll, type Slave, slaveOf } from './slave.ts'

/** Commands of one connection that wait for the bus; the rest stay in their queue. */
const MOST_WRITES = 16
/** Exceptions that smaller questions may avoid: illegal address, illegal value (too many at once). */
const DIVISIBLE: ReadonlySet<number> = new Set([2, 3])
/** Polls in a row that a device below may leave unanswered before it counts as gone. */
const MOST_SILENT = 2

/**
 * Speaks Modbus with everything behind one connection: polls the register table of the device itself and of the devices
 * bound to it, each by its own slave address and cycle, and turns commands into writes that are read back.
 */
export class ModbusDriver implements Driver {
  private readonly bus: Bus
  private readonly slaves = new Map<number, Slave>()
  private readonly heartbeat: Buffer | null
  private readonly heartbeatReply: Buffer | null
  private readonly registration: Buffer | null
  private writing: Promise<void> = Promise.resolve()
  private writes = 0
  private closed = false
  private readonly silent: SilentSlaves
  /** A look at the database that is under way, and whether another is to follow it. */
  private loading: Promise<void> | null = null
  private again = false
  private loaded = false
  /** Devices whose commands came before their table was known; true: the table was looked for since. */
  private readonly asking = new Map<number, boolean>()

  constructor(
    readonly session: TcpSession,
    mode: 'rtu' | 'tcp',
    private readonly host: ModbusHost,
    /** The register packet of the connection, which DTUs send again. */
    registration?: Buffer,
  ) {
    this.registration = registration && registration.length > 0 ? Buffer.from(registration) : null
    const { modbus, heartbeat } = session.settings
    this.silent = new SilentSlaves({
      now: () => host.monotonic.now(),
      at: (time, callback) => host.wheel.add(callback, time),
      poll: slave => this.pollNow(slave, true),
    })
    this.heartbeat = heartbeat ? bytesOf(heartbeat.packet) : null
    this.heartbeatReply = heartbeat?.reply ? bytesOf(heartbeat.reply) : null
    this.bus = new Bus({
      mode,
      pauseMs: modbus.pauseMs,
      write: bytes => session.write(bytes),
      received: (bytes, asked) =>
        host.port.frame(session.device, 'up', bytes, asked ? { channel: 'tcp' } : { channel: 'tcp', note: 'unasked' }),
    })
  }

  push(chunk: Buffer): void {
    const { heartbeat } = this
    let bytes = chunk
    while (heartbeat && bytes.length >= heartbeat.length && bytes.subarray(0, heartbeat.length).equals(heartbeat)) {
      this.host.port.frame(this.session.device, 'up', Buffer.from(heartbeat), { channel: 'tcp', note: 'heartbeat' })
      if (this.heartbeatReply) this.session.write(this.heartbeatReply, 'heartbeat')
      bytes = bytes.subarray(heartbeat.length)
    }
    const { registration } = this
    const first = registration ? bytes.subarray(0, registration.length) : null
    if (registration && first?.equals(registration)) {
      this.host.port.frame(this.session.device, 'up', withoutSecret(registration), { channel: 'tcp', note: 'register' })
      bytes = bytes.subarray(registration.length)
    }
    if (bytes.length > 0) this.bus.push(bytes)
  }

  /** Devices on this bus by their numbers. */
  devices(): Iterable<number> {
    return this.slaves.keys()
  }

  /** How a device on this bus is polled. */
  polling(device: number): PollingState {
    const slave = this.slaves.get(device)
    return {
      since: this.session.info.connectedAt,
      slaves: this.slaves.size,
      slave: slave
        ? {
            address: slave.address,
            questions: slave.plan.length,
            failures: slave.failures,
            since: slave.since,
            polledAt: slave.polledAt,
          }
        : null,
    }
  }

  /** Puts the bus in line with what the database says now: who is on it, at which address, with which table. */
  async load(): Promise<void> {
    // One look at a time: an older answer must not undo a newer one.
    if (this.loading) {
      this.again = true
      return this.loading
    }
    this.loading = this.loadUntilCurrent().finally(() => {
      this.loading = null
    })
    return this.loading
  }

  /** Its time has come. */
  async poll(slave: Slave, first = false): Promise<void> {
    if (this.closed || slave.gone || slave.queued) return
    // A slave alone on its bus keeps nobody waiting.
    if (!slave.answers && !slave.busy && this.slaves.size > 1) this.silent.add(slave)
    else await this.pollNow(slave, first)
  }

  private async loadUntilCurrent(): Promise<void> {
    let asking: number[]
    do {
      this.again = false
      asking = [...this.asking.keys()]
      const { device } = this.session
      const bound = await this.host.boundTo(device.num)
      const own = this.host.directory.peek(device.num)?.record ?? device
      const wanted = [own, ...bound.filter(sub => sub.enabled)]
      await Promise.all([...new Set(wanted.map(one => one.productNum))].map(product => this.host.current(product)))
      if (this.closed) return
      this.take(wanted)
    } while (this.again)
    this.loaded = true
    for (const num of asking) this.asking.set(num, true)
    if (asking.length > 0) this.host.port.sessionReady(this.session.device)
  }

  private take(wanted: readonly DeviceRecord[]): void {
    const kept = new Set<number>()
    const { device } = this.session
    for (const one of wanted) {
      if (this.show(one)) kept.add(one.num)
      // It has nothing to be polled, so it is not known whether it answers.
      else if (one.num !== device.num) this.host.port.subLeft(device, one, 'no_data')
    }
    for (const [num, slave] of this.slaves) {
      if (kept.has(num)) continue
      slave.gone = true
      this.slaves.delete(num)
      this.host.left(num, this)
    }
  }

  /** @param asked it was asked out of its turn: it is due now, not when it was planned */
  private async pollNow(slave: Slave, asked: boolean): Promise<void> {
    if (this.closed || slave.gone) return
    const now = this.host.monotonic.now()
    const dueAt = asked ? now : slave.dueAt
    slave.dueAt = nextPoll(slave, now)
    this.host.wheel.add(() => inBackground('polling a slave', this.poll(slave)), slave.dueAt)
    if (slave.busy || !this.host.port.hasRoom(slave.device)) {
      this.host.skipped()
      return
    }
    slave.busy = true
    slave.polledAt = this.host.clock.now()
    try {
      const read = await this.read(slave)
      if (this.closed || slave.gone) return
      this.heard(slave, read.answered)
      this.host.polled(this.host.monotonic.now() - dueAt, read.answered)
      if (Object.keys(read.values).length > 0) await this.report(slave.device, read.values)
    } catch (error) {
      this.host.failed(error)
    } finally {
      slave.busy = false
    }
  }

  /** A slave answered, or was silent as long and as often as its product lets it. */
  private heard(slave: Slave, answered: boolean): void {
    const { device, polling } = slave
    const known = slave.answers || slave.failures > 0
    slave.answers = answered
    slave.failures = answered ? 0 : slave.failures + 1
    if (answered) {
      this.host.silent.delete(device.num)
      return
    }
    this.host.silent.set(device.num, slave.failures)
    if (known) this.silent.charge((polling.retries + 1) * polling.timeoutMs + QUIET_MS)
    // What has no connection of its own is there as long as it answers.
    if (slave.failures >= MOST_SILENT && device.num !== this.session.device.num)
      this.host.port.subLeft(this.session.device, device, 'no_data')
  }

  deliver(message: DownlinkMessage): DeliveryResult {
    const device = message.sub ?? this.session.device
    const { command } = message
    if (this.closed || this.writes >= MOST_WRITES) return 'not_reachable'
    if (command.kind === 'raw') return this.deliverRaw(message)
    const slave = this.slaves.get(device.num)
    if (!slave) {
      // Its table is on its way: the command stays in its queue until it was looked for.
      if (!this.loaded || this.loading || this.asking.get(device.num) !== true) {
        this.asking.set(device.num, false)
        this.host.reload(this)
        return 'not_reachable'
      }
      this.asking.delete(device.num)
      this.answer(device, message.commandId, 'the device has no register table')
      return 'sent'
    }
    this.asking.delete(device.num)
    this.session.info.messagesOut++
    this.writes++
    this.writing = this.writing.then(async () => {
      const left = await this.write(slave, message).catch(error => {
        this.host.failed(error)
        this.answer(slave.device, message.commandId, 'the platform failed to write')
        return true
      })
      this.writes--
      if (!this.closed && left && this.writes === MOST_WRITES - 1) this.host.port.sessionReady(this.session.device)
    })
    return 'sent'
  }

  close(): void {
    this.closed = true
    this.bus.close()
    for (const [num, slave] of this.slaves) {
      slave.gone = true
      this.host.left(num, this)
    }
    this.slaves.clear()
    this.host.ended(this)
  }

  /** A raw command is the caller's own frame: written as it is between two questions, its answer is in the raw view. */
  private deliverRaw(message: DownlinkMessage): DeliveryResult {
    for (const frame of message.frames ?? []) if (!this.session.write(frame)) return 'not_reachable'
    return 'sent'
  }

  /** @returns whether the connection is still there */
  private async write(slave: Slave, message: DownlinkMessage): Promise<boolean> {
    const { device } = slave
    const { kind, identifier, params } = message.command
    if (kind === 'service') {
      this.answer(device, message.commandId, `${identifier ?? 'the service'} is no register that can be written`)
      return true
    }
    const result = await writeRegisters(this.bus, slave, params)
    if (result.untouched) {
      // Nothing left: the command waits for the next connection.
      this.host.returnCommands(device.num, [message.commandId])
      return false
    }
    if (result.ok) this.heard(slave, true)
    if (Object.keys(result.values).length > 0) await this.report(device, result.values)
    this.answer(device, message.commandId, result.ok ? null : (result.message ?? 'failed'), result.values)
    return true
  }

  /** Asks for every block of the table. A slave that is silent once is not asked for the rest of it. */
  private async read(slave: Slave): Promise<{ answered: boolean; values: Record<string, unknown> }> {
    const values: Record<string, unknown> = {}
    let answered = false
    const waiting = [...slave.plan]
    for (let request = waiting.shift(); request; request = waiting.shift()) {
      const answer = await this.bus.ask(request.slave, readPdu(request), slave.polling)
      if (this.closed || slave.gone) break
      const parts =
        !answer.ok && answer.reason === 'exception' && DIVISIBLE.has(answer.exception) ? divide(request) : []
      if (parts.length > 0) {
        // The slave refused registers that nobody wants, or so many at once: from now on it is asked for less.
        answered = true
        const refused = request
        slave.plan = slave.plan.flatMap(planned => (planned === refused ? parts : [planned]))
        waiting.unshift(...parts)
        continue
      }
      if (!answer.ok) {
        this.note(slave, request.address, answer.reason === 'exception' ? 'modbus_exception' : 'modbus_no_answer', {
          slave: request.slave,
          function: request.function,
          detail: describeFailure(answer, request.slave),
        })
        if (answer.reason === 'exception') answered = true
        else if (answer.reason === 'timeout') break
        continue
      }
      answered = true
      const decoded = decodeRegisters(request, answer.data)
      Object.assign(values, decoded.values)
      for (const { identifier, detail } of decoded.problems)
        this.note(slave, request.address, 'modbus_value', { identifier, detail })
    }
    return { answered, values }
  }

  /** What was read goes the way of every message, so the thing model checks it. Resolves once it is durable. */
  private async report(device: DeviceRecord, values: Record<string, unknown>): Promise<void> {
    const { port, clock } = this.host
    this.session.info.messagesIn++
    // Hearing of a sub-device makes it present.
    if (device.num !== this.session.device.num)
      await port.resolveSub(this.session.device, device.subAddress ?? device.deviceNo).catch(() => null)
    await new Promise<void>(resolve => {
      const payload = Buffer.from(JSON.stringify(values))
      port.accept({ device, channel: { kind: 'property' }, payload, arrivedAt: clock.now() }, () => resolve())
    })
  }

  private answer(
    device: DeviceRecord,
    commandId: string,
    problem: string | null,
    values?: Record<string, unknown>,
  ): void {
    this.host.port.commandReply(device, {
      commandId,
      code: problem === null ? 0 : 1,
      ...(problem === null ? {} : { message: problem }),
      ...(values && Object.keys(values).length > 0 ? { data: values } : {}),
    })
  }

  private show(device: DeviceRecord): boolean {
    const settings = slaveOf(device, this.host.directory.product(device.productNum))
    if (!settings) return false
    const known = this.slaves.get(device.num)
    if (known) {
      const faster = settings.polling.cycleSeconds < known.polling.cycleSeconds
      Object.assign(known, settings)
      if (!faster) return true
      // The entry in the wheel may lie far ahead: a fresh one takes its place.
      known.gone = true
    }
    // The first poll is made at once; later ones are spread over the cycle, so that not all ask in one moment.
    const cycle = settings.polling.cycleSeconds * 1_000
    const dueAt = this.host.monotonic.now() - cycle + phaseOf(device.num) * cycle
    const failures = this.host.silent.peek(device.num) ?? 0
    const slave: Slave = {
      ...settings,
      since: known?.since ?? this.host.clock.now(),
      polledAt: known?.polledAt ?? null,
      dueAt,
      busy: false,
      failures,
      answers: false,
      queued: false,
      gone: false,
    }
    this.slaves.set(device.num, slave)
    this.host.joined(device.num, this)
    inBackground('the first poll of a slave', this.poll(slave, true))
    return true
  }

  private note(slave: Slave, address: number, event: string, detail: Record<string, unknown>): void {
    const { device } = slave
    this.host.port.note(device.productKey, device.deviceNo, event, { ...detail, address, transport: 'tcp' })
  }
}

/** Where in its cycle a device is polled, 0 … 1: multiplicative hashing (Knuth, TAOCP 3, §6.4) of its number. */
function phaseOf(num: number): number {
  return (Math.imul(num, 0x9e3779b1) >>> 0) / 0x1_0000_0000
}
