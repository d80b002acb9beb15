import type pg from 'pg'
import { inBackground } from '../lib/background.ts'
import type { Clock } from '../lib/clock.ts'
import type { CryptoBox } from '../lib/crypto/crypto-box.ts'
import { readLatestValues } from '../lib/journal/latest-values.ts'
import type { Logger } from '../lib/log.ts'
import type { ChangedCommand } from '../lib/news.ts'
import { compileReply } from '../modules/commands/index.ts'
import type {
  RegistrationAnswer,
  RegistrationRequest,
  SubDeviceRequest,
} from '../modules/device-identity/registration.port.ts'
import type { GatewayPort, SessionInfo } from '../modules/devices/gateway.port.ts'
import type { PollingState, Probe, Probes, RawFrame } from '../modules/diagnosis/diagnosis.port.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../modules/ota/firmware.port.ts'
import type { Arrivals } from './arrivals.ts'
import type { GatewayMetrics } from './channel/ipc.ts'
import { compileFormat } from './codecs/compile-format.ts'
import type { ScriptRunner } from './codecs/script/script.codec.ts'
import { ScriptPool } from './codecs/script/script-pool.ts'
import { CommandEncoder } from './commands/command-encoder.ts'
import { commandQueue } from './commands/command-queue.repo.ts'
import { CommandSweep } from './commands/command-sweep.ts'
import { ReplyWatch } from './commands/reply-watch.ts'
import { directoryQueries } from './directory/directory.repo.ts'
import { Directory } from './directory/directory.ts'
import { type LinkProduct, linkProducts } from './directory/link-products.repo.ts'
import { DownlinkPipeline } from './downlink.pipeline.ts'
import { flowQueries } from './flow-control/flow.repo.ts'
import { FlowControl } from './flow-control/flow-control.ts'
import { Answers } from './gateway/answers.ts'
import { Counters } from './gateway/counters.ts'
import { Frames } from './gateway/frames.ts'
import { Notes } from './gateway/notes.ts'
import { createProbes } from './gateway/probes.ts'
import { Recheck } from './gateway/recheck.ts'
import { Refusals } from './gateway/refusals.ts'
import { noteRefusal } from './gateway/refused-sign-in.ts'
import { shadowsOf } from './gateway/shadow.repo.ts'
import { SignIn } from './gateway/sign-in.ts'
import { subDeviceQueries } from './gateway/sub-devices.repo.ts'
import { SubDevices } from './gateway/sub-devices.ts'
import { UntilBegun } from './gateway/until-begun.ts'
import { WrongTries } from './gateway/wrong-tries.ts'
import { guardedAccept } from './identity/guarded-accept.ts'
import { identityQueries } from './identity/identity.repo.ts'
import { RegistrationDesk } from './identity/registration-desk.ts'
import { type Lanes, laneOf } from './lanes.port.ts'
import { createFirmware } from './ota/firmware.ts'
import { sessionQueries } from './presence/device-sessions.repo.ts'
import { Presence } from './presence/presence.ts'
import { Recovery } from './presence/recovery.ts'
import { SessionRows } from './presence/session-rows.ts'
import type { DecodedUplink } from './stages/decode.ts'
import { DecodeOrder } from './stages/decode-order.ts'
import { matches } from './topics/topic-filter.ts'
import type { DeliveryResult, DisconnectReason, DownlinkMessage, IngestPort, Transport } from './transport.port.ts'
import { createHttpTransport, type HttpTransport } from './transports/http/http.transport.ts'
import { devicePrefix } from './transports/mqtt/topics.ts'
import { createSimulator } from './transports/simulator/simulator.transport.ts'
import { createUplinkPipeline, qos2Of } from './uplink.pipeline.ts'
import { type DeviceRecord, type JournalEntry, JournalKind, Quality, type UplinkChannel } from './uplink.ts'

/** What a transport with connections of its own gets besides the port. */
export interface ConnectionHooks {
  /** A device confirmed a command that was handed over in an earlier life of the gateway. */
  delivered(device: number, commandId: string): void
}

/** What a transport that answers for itself gets besides the port. */
export interface TransportHooks extends ConnectionHooks {
  directory: Directory
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  /** Products whose link settings matter before their device is known. */
  linkProducts(): Promise<LinkProduct[]>
  /** Where scripts of users run. */
  scripts: ScriptRunner
  /** Devices that are bound to this one as their gateway. */
  boundTo(gateway: number): Promise<DeviceRecord[]>
  /** A device on a short link (UDP, CoAP, a gateway's sub-device) came or went. */
  shortOpened(device: DeviceRecord, info: SessionInfo): void
  shortClosed(device: DeviceRecord, reason: DisconnectReason): void
  /** Gives the device the commands that wait for it and for those below it; resolves when the queue was looked at. */
  takeCommands(device: DeviceRecord): Promise<void>
  /** Which kind of reply a command of this device takes; null: it has no such command. */
  replyChannel(device: DeviceRecord, commandId: string): Promise<UplinkChannel | null>
  /** Commands that did not leave after all go back into the queue. */
  returnCommands(device: number, ids: string[]): void
}

/** A transport besides MQTT and HTTP. */
export interface FurtherTransport extends Transport {
  metrics?(): Record<string, number>
  /** A device or product changed; the directory has forgotten it already. */
  changed?(what: { device?: number; product?: number }): void
  /** Goes on with a short link of the gateway's earlier life. */
  adopt?(device: DeviceRecord, address: string): SessionInfo
  /** How a device is polled over the connection of its own or of its gateway; null: it is not. */
  polling?(device: number, gateway: number | null): PollingState | null
}

export interface GatewayOptions<T extends Transport> {
  /** Pool of the telemetry role. */
  db: pg.Pool
  node: string
  /** Grows with every life of the gateway. */
  epoch: number
  clock: Clock
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  lanes: Lanes
  /** Gives messages without a time of their own theirs. */
  arrivals: Arrivals
  /** The stage that checks a message against the thing model. */
  validate(uplink: DecodedUplink): JournalEntry[]
  /** Makes the transport whose sessions are connections (MQTT). */
  connections(port: IngestPort, hooks: ConnectionHooks): T
  /** The other transports, by their names in metrics. A device has one connection: a new one ends that of any other. */
  others?(portOf: (name: string) => IngestPort, hooks: TransportHooks): Record<string, FurtherTransport>
  onCommandsChanged(changed: ChangedCommand[]): void
  /** Slows guessing; absent: its own. */
  wrongTries?: WrongTries
  /** Opens device secrets; absent: no HMAC sign-in. */
  secrets?: CryptoBox | null
  /** Asks for a registration; absent: there is none. */
  register?(request: RegistrationRequest | SubDeviceRequest): Promise<RegistrationAnswer | null>
  /** Asks for what a device is to install, and for its bytes; absent: there is none. */
  firmware?(asked: FirmwareQuestion): Promise<FirmwareAnswer | null>
  /** Raw frames of devices that somebody watches. */
  onFrames?(device: number, frames: RawFrame[], missed: number): void
  freeDiskRatio?(): Promise<number>
  /** Messages that wait for the journal. */
  queued?(): number
  /** Epoch ms at which the certificate of the TLS port ends. */
  certificateUntil?: number | null
  /** How long devices of the life before have to come back, ms. */
  graceMs?: number
}

/** The device path of one process: directory, pipelines, presence and transports, put together. */
export interface Gateway<T extends Transport> extends Omit<GatewayPort, 'session'> {
  readonly port: IngestPort
  readonly connections: T
  readonly http: HttpTransport
  readonly frames: Frames
  /** @param done hears of each step that is over */
  start(done?: (step: string) => void): Promise<void>
  /** Takes nothing more, lets everything taken be stored and acknowledged, then lets go of the lanes. */
  stop(): Promise<void>
  session(device: number): SessionInfo | null
  metrics(): GatewayMetrics
  probe(probe: Probe): Promise<Probes[keyof Probes]['answer']>
  watchFrames(devices: readonly number[]): void
  /** Writes what was counted of companies and devices, and reads the companies' limits anew. */
  flushFlow(): Promise<void>
}

/** Owner of the connections that `GatewayOptions.connections` makes. */
const MQTT = 'mqtt'
const SIMULATOR = 'simulator'
/** How long a stop waits for frames that are being decoded. */
const DECODING_MS = 3_000
/** Bytes of a device's answer kept with its command. */
const ANSWER_BYTES = 2_048

export function createGateway<T extends Transport>(options: GatewayOptions<T>): Gateway<T> {
  const { db, clock, monotonic, logger, lanes, onCommandsChanged } = options
  const counters = new Counters()
  const uplinks = { stored: 0, refused: 0 }
  const lanesBegin = new UntilBegun()
  const queue = commandQueue(db)
  const sessions = sessionQueries(db, options)
  const scripts = new ScriptPool({ logger })
  const order = new DecodeOrder()
  const directory = new Directory({
    ...directoryQueries(db),
    clock,
    logger,
    compileFormat: (format, model) => compileFormat(format, model, scripts),
  })
  const rows = new SessionRows({ write: sessions.write, logger })
  const presence = new Presence({
    lanes,
    rows,
    clock,
    changed: (device, online) => subs.presenceChanged(device, online),
  })
  const notes = new Notes({ directory, lanes, clock, logger })
  const frames = new Frames({ clock, epoch: options.epoch, told: (...frame) => options.onFrames?.(...frame) })
  const refusals = new Refusals(clock)
  const flow = new FlowControl({
    queries: flowQueries(db),
    monotonic,
    logger,
    ahead: device => options.arrivals.waitMs(device),
  })
  const admission = new SignIn({
    directory,
    queries: identityQueries(db),
    secrets: options.secrets ?? null,
    desk: new RegistrationDesk({ ask: options.register ?? (async () => null), clock }),
    clock,
    logger,
  })
  const wrongTries = options.wrongTries ?? new WrongTries({ clock: monotonic })
  const firmware = createFirmware({ ask: options.firmware ?? (async () => null), monotonic, logger })
  const answers = new Answers({ shadows: devices => shadowsOf(db, devices), clock, logger })

  const changed = (commands: ChangedCommand[]) => {
    counters.add('commands_changed', commands.length)
    onCommandsChanged(commands)
  }
  const replies = new ReplyWatch(clock)
  const encoder = new CommandEncoder({
    product: num => directory.product(num),
    speaksBytes,
    latest: devices => readLatestValues(db, devices),
    clock,
  })
  const downlink = new DownlinkPipeline({
    queue,
    reachable: device => (canTake(device) ? presence.device(device) : null),
    prepare: (command, device) => encoder.prepare(command, device),
    deliver(device, message, delivered) {
      const { commandId, expects, timeoutMs } = message
      // Before it leaves: the answer may be quicker than we are.
      if (expects) replies.expect(device.num, commandId, expects, timeoutMs ?? 0)
      const result = handOver(transports(), device, message, delivered)
      if (expects && result === 'not_reachable') replies.drop(device.num, commandId)
      return result
    },
    onChanged: changed,
    logger,
  })
  const canTake = (device: number) =>
    (connections.session(device)?.subscriptions.length ?? 0) > 0 ||
    http.isWaiting(device) ||
    subs.has(device) ||
    Object.values(others).some(transport => transport.session(device) !== null)
  const take = createUplinkPipeline({
    product: num => directory.product(num),
    validate: options.validate,
    lanes: flow.counting(lanes),
    counted: outcome => {
      uplinks[outcome]++
    },
    resolveSub: (gateway, sub) => subs.resolveSub(gateway, sub),
    order,
  })

  /** Raw sockets know nothing but bytes; on MQTT the device says so by what it has subscribed to. */
  function speaksBytes(device: DeviceRecord): boolean {
    const owner = owners.get(device.num)
    if (owner !== MQTT) return owner === 'tcp' || owner === 'udp'
    const subscriptions = connections.session(device.num)?.subscriptions ?? []
    const topic = `${devicePrefix(device)}raw/down`
    return subscriptions.some(({ filter }) => matches(filter, topic))
  }

  const guarded = guardedAccept(take)
  const accept: typeof take = (uplink, done) => {
    if (lanesBegin.isOver) return acceptNow(uplink, done)
    // The bytes are the transport's own, which it reads into again.
    const kept = { ...uplink, payload: Buffer.from(uplink.payload) }
    lanesBegin.run(() => acceptNow(kept, done))
  }
  const acceptNow: typeof take = (uplink, done) => {
    flow.took(uplink.device)
    const answered = uplink.channel.kind === 'raw' ? replies.take(uplink.device.num, uplink.payload) : null
    if (!answered) return guarded(uplink, done)
    const { commandId, carriesData } = answered
    const reply = { commandId, code: 0, data: { hex: uplink.payload.toString('hex', 0, ANSWER_BYTES) } }
    const entry = replyEntry(uplink.device, reply, uplink.arrivedAt)
    if (carriesData) {
      lanes.append([entry], () => undefined)
      return guarded(uplink, done)
    }
    lanes.append([entry], () => done('stored'), qos2Of(uplink))
  }
  /** Room in the lane and within the limits; each lets the other have its say when it is there again. */
  const hasRoom = (device: DeviceRecord) =>
    lanesBegin.isOver && lanes.hasRoom(laneOf(device.num)) && flow.hasRoom(device) && order.hasRoom(device)
  const onRoom = (device: DeviceRecord, resume: () => void): void => {
    const again = () => (hasRoom(device) ? resume() : onRoom(device, resume))
    if (!lanesBegin.isOver) lanesBegin.run(again)
    else if (!order.hasRoom(device)) order.onDrain(device, again)
    else if (lanes.hasRoom(laneOf(device.num))) flow.onRoom(device, again)
    else lanes.onDrain(laneOf(device.num), again)
  }

  /** Which transport holds a device's connection; sessions of MQTT belong to none by name. */
  const owners = new Map<number, string>()
  const kickFrom = (owner: string, device: number, reason: DisconnectReason) =>
    (owner === MQTT ? connections : others[owner])?.kick(device, reason)

  const portOf = (owner: string): IngestPort => ({
    async signIn(request) {
      const result = await admission.check(request)
      counters.add(result.ok ? 'sign_ins' : `sign_ins_refused_${result.reason}`)
      if (!result.ok && result.reason !== 'unavailable') {
        noteRefusal({ refusals, directory }, request, result)
        await wrongTries.refused(request, result.reason)
      }
      return result
    },
    limited: device => flow.limited(device),
    accept,
    hasRoom,
    onDrain: onRoom,
    sessionOpened(device, info) {
      // Before the change of hands, so that the log shows where what was simulated ends.
      if (owner !== SIMULATOR) simulator.kick(device.num, 'taken_over')
      const before = owners.get(device.num)
      owners.set(device.num, owner)
      if (before !== undefined && before !== owner) kickFrom(before, device.num, 'taken_over')
      presence.opened(device, info)
      downlink.forget(device.num)
      if (info.subscriptions.length > 0 || owner !== MQTT) downlink.wake([device.num])
    },
    sessionReady(device) {
      const info = sessionOf(device.num)
      if (info) presence.changed(device, info)
      downlink.wake([device.num, ...subs.below(device.num)])
    },
    sessionClosed(device, reason) {
      // Another transport took the device over before this one noticed.
      if (owners.get(device.num) !== owner) return
      owners.delete(device.num)
      presence.closed(device, false, reason)
      downlink.forget(device.num)
    },
    answer: async (device, query) =>
      query.kind === 'ntp' ? answers.time(query.payload, query.arrivedAt) : answers.shadow(device.num),
    firmwareChunks: (device, payload, say) => firmware.chunks.request(device, payload, say),
    firmwarePull: (device, payload) => firmware.pull(device, payload),
    commandReply: (device, reply, done) =>
      lanes.append([replyEntry(device, reply, clock.now())], done ?? (() => undefined)),
    frame: (device, direction, bytes, detail) =>
      frames.add(device.num, direction, bytes, detail?.channel ?? '', detail?.note ?? ''),
    note: (productKey, deviceNo, event, detail) =>
      inBackground('a note about a device', notes.note(productKey, deviceNo, event, detail)),
    resolveSub: (gateway, sub) => subs.resolveSub(gateway, sub),
    subLeft: (gateway, device, reason) => subs.leave(gateway, device, reason),
    settingsOf: device => directory.product(device.productNum).settings,
    openCommands: device => queue.openCommands(device.num),
  })
  const port = portOf(MQTT)
  const connections = options.connections(port, { delivered: (device, id) => downlink.delivered(device, id) })
  const http = createHttpTransport({
    port,
    clock,
    monotonic,
    logger,
    opened: shortOpened,
    closed: (device, reason) => presence.closed(device, true, reason),
    takeCommands,
    returnCommands: (device, ids) => downlink.returned(device, ids),
    replyChannel: (device, id) => queue.replyChannel(device.num, id),
  })
  function takeCommands(device: DeviceRecord): Promise<void> {
    return Promise.all([device.num, ...subs.below(device.num)].map(num => downlink.take(num))).then(() => undefined)
  }
  /** A device without a connection was heard of: nobody acts for it any more. */
  function shortOpened(device: DeviceRecord, info: SessionInfo): void {
    simulator.kick(device.num, 'taken_over')
    presence.opened(device, info)
  }
  const simulator = createSimulator({ port: portOf(SIMULATOR), clock, monotonic })
  const others: Record<string, FurtherTransport> = options.others
    ? options.others(portOf, {
        directory,
        clock,
        monotonic,
        linkProducts: () => linkProducts(db),
        scripts,
        boundTo: gateway => subs.boundTo(gateway),
        delivered: (device, id) => downlink.delivered(device, id),
        takeCommands,
        replyChannel: (device, id) => queue.replyChannel(device.num, id),
        shortOpened,
        shortClosed: (device, reason) => presence.closed(device, true, reason),
        returnCommands: (device, ids) => downlink.returned(device, ids),
      })
    : {}
  others.simulator = simulator
  const subs = new SubDevices({
    ...subDeviceQueries(db),
    directory,
    presence,
    clock,
    monotonic,
    logger,
    opened: (device, info) => presence.opened(device, info),
    closed: (device, reason) => presence.closed(device, true, reason),
    make: request => options.register?.(request) ?? Promise.resolve(null),
    wake: devices => downlink.wake(devices),
    deliver: (device, message, delivered) =>
      handOver([connections, http, ...Object.values(others)], device, message, delivered),
  })
  const transports = (): Transport[] => [connections, http, ...Object.values(others), subs]
  const sessionOf = (device: number): SessionInfo | null => {
    for (const transport of transports()) {
      const session = transport.session(device)
      if (session) return session
    }
    return null
  }
  const sweep = new CommandSweep({
    queue,
    clock,
    remind: devices => downlink.remind(devices),
    retry: devices => downlink.wake(devices),
    onChanged: changed,
    logger,
  })
  const recovery = new Recovery({
    ...sessions,
    ...queue,
    refresh: devices => directory.refresh(devices),
    presence,
    adopt: (device, address, transport) =>
      transport === 'gateway'
        ? subs.adopt(device, address)
        : transport === 'http'
          ? http.adopt(device, address)
          : (others[transport]?.adopt?.(device, address) ?? null),
    onChanged: changed,
    logger,
  })
  const kick = (device: number) => {
    for (const transport of transports()) transport.kick(device, 'kicked')
  }
  const probes = createProbes({
    frames,
    refusals,
    directory,
    lanes,
    queued: options.queued ?? (() => 0),
    simulator,
    session: sessionOf,
    reachable: device => presence.device(device),
    polling: (device, gateway) =>
      Object.values(others).reduce<PollingState | null>(
        (found, one) => found ?? one.polling?.(device, gateway) ?? null,
        null,
      ),
    deliver: (device, message, delivered) => handOver(transports(), device, message, delivered),
    freeDiskRatio: options.freeDiskRatio,
    certificateUntil: options.certificateUntil ?? null,
  })
  const recheck = new Recheck({ directory, presence, kick, gone: device => lanes.forget(device), logger })

  return {
    port,
    connections,
    http,
    frames,
    async start(done = () => undefined) {
      // Read again what was not written of the latest values: with many messages a second that takes its time.
      const lanesBegun = lanes.start().then(() => lanesBegin.begin())
      for (const { device, id, expects, leftMs } of await queue.openExpectations())
        replies.expect(device, id, compileReply(expects), leftMs)
      await recovery.start(options.graceMs)
      done('sessions of before')
      for (const transport of [http, connections, ...Object.values(others), subs]) await transport.start()
      done('transports')
      flow.start()
      sweep.start()
      recheck.start()
      await lanesBegun
      done('lanes')
    },
    async stop() {
      frames.stop()
      firmware.chunks.stop()
      recheck.stop()
      recovery.stop()
      await sweep.stop()
      await flow.stop()
      await Promise.all(transports().map(transport => transport.stop()))
      await downlink.stop()
      await rows.stop()
      await order.settled(DECODING_MS)
      await scripts.stop()
      await lanes.stop()
    },
    wake: devices => downlink.wake(devices),
    forget(what) {
      directory.forget(what)
      if (what.device !== undefined) {
        recheck.tell([what.device])
        subs.review(what.device)
      }
      if (what.product !== undefined) recheck.tell(presence.devicesOf(what.product))
      for (const transport of Object.values(others)) transport.changed?.(what)
    },
    kick,
    session: sessionOf,
    probe: probes,
    watchFrames: devices => frames.watch(devices),
    flushFlow: () => flow.flush(),
    metrics: () => ({
      ...counters.snapshot(),
      ...Object.assign({}, ...Object.values(others).map(transport => transport.metrics?.() ?? {})),
      ...scripts.metrics(),
      ...firmware.chunks.metrics(),
      decoding_state: order.waiting,
      uplinks_stored: uplinks.stored,
      uplinks_refused: uplinks.refused,
      sessions_state: presence.size,
      polls_state: http.polls(),
      directory_state: directory.size,
      sub_devices_state: subs.size,
      framed_devices_state: frames.size,
    }),
  }
}

/** The first transport that takes the message has it. */
function handOver(
  transports: readonly Transport[],
  device: DeviceRecord,
  message: DownlinkMessage,
  delivered: () => void,
): DeliveryResult {
  for (const transport of transports) {
    const result = transport.deliver(device, message, delivered)
    if (result !== 'not_reachable') return result
  }
  return 'not_reachable'
}

/** A command's answer as a row: the same that a device's own reply makes. */
function replyEntry(
  device: DeviceRecord,
  reply: { commandId: string; code: number; message?: string; data?: unknown },
  now: number,
): JournalEntry {
  return {
    device,
    kind: JournalKind.reply,
    arrivedAt: now,
    ts: now,
    deviceTs: null,
    quality: Quality.good,
    values: JSON.stringify({
      commandId: reply.commandId,
      code: reply.code,
      message: reply.message ?? null,
      data: reply.data ?? null,
    }),
    raw: null,
    refusedReason: null,
    late: false,
  }
}
