import { readLatestValues } from '../lib/journal/latest-values.ts'
import type { ChangedCommand } from '../lib/news.ts'
import { compileReply } from '../modules/commands/index.ts'
import { compileFormat } from './codecs/compile-format.ts'
import { ScriptPool } from './codecs/script/script-pool.ts'
import { CommandEncoder } from './commands/command-encoder.ts'
import { commandQueue } from './commands/command-queue.repo.ts'
import { CommandSweep } from './commands/command-sweep.ts'
import { ReplyWatch } from './commands/reply-watch.ts'
import { directoryQueries } from './directory/directory.repo.ts'
import { Directory } from './directory/directory.ts'
import { linkProducts } from './directory/link-products.repo.ts'
import { DownlinkPipeline } from './downlink.pipeline.ts'
import { flowQueries } from './flow-control/flow.repo.ts'
import { FlowControl } from './flow-control/flow-control.ts'
import { Answers } from './gateway/answers.ts'
import { Carriers, MQTT, SIMULATOR } from './gateway/carriers.ts'
import { Counters } from './gateway/counters.ts'
import { devicePorts } from './gateway/device-port.ts'
import { Frames } from './gateway/frames.ts'
import { createIntake } from './gateway/intake.ts'
import { Notes } from './gateway/notes.ts'
import type { Gateway, GatewayOptions } from './gateway/options.ts'
import { createProbes } from './gateway/probes.ts'
import { Recheck } from './gateway/recheck.ts'
import { Refusals } from './gateway/refusals.ts'
import { shadowsOf } from './gateway/shadow.repo.ts'
import { SignIn } from './gateway/sign-in.ts'
import { subDeviceQueries } from './gateway/sub-devices.repo.ts'
import { SubDevices } from './gateway/sub-devices.ts'
import { UntilBegun } from './gateway/until-begun.ts'
import { WrongTries } from './gateway/wrong-tries.ts'
import { identityQueries } from './identity/identity.repo.ts'
import { RegistrationDesk } from './identity/registration-desk.ts'
import { createFirmware } from './ota/firmware.ts'
import { sessionQueries } from './presence/device-sessions.repo.ts'
import { Presence } from './presence/presence.ts'
import { Recovery } from './presence/recovery.ts'
import { SessionRows } from './presence/session-rows.ts'
import { DecodeOrder } from './stages/decode-order.ts'
import type { Transport } from './transport.port.ts'
import { createHttpTransport } from './transports/http/http.transport.ts'
import type { LoraTransport } from './transports/lora/lora.transport.ts'
import { createPlatformTransport } from './transports/platform/platform.transport.ts'
import { createSimulator } from './transports/simulator/simulator.transport.ts'
import { createUplinkPipeline } from './uplink.pipeline.ts'
import type { DeviceRecord } from './uplink.ts'

/** How long a stop waits for frames that are being decoded. */
const DECODING_MS = 3_000

/** Puts the device path of one process together; each part needs only those before it. */
export function createGateway<T extends Transport>(options: GatewayOptions<T>): Gateway<T> {
  const { db, clock, monotonic, logger, lanes } = options
  const counters = new Counters()
  const carriers = new Carriers<T>()
  const changed = (commands: ChangedCommand[]) => {
    counters.add('commands_changed', commands.length)
    options.onCommandsChanged(commands)
  }

  // What is known of devices, and who may come in.
  const scripts = new ScriptPool({ logger })
  const directory = new Directory({
    ...directoryQueries(db),
    clock,
    logger,
    compileFormat: (format, model) => compileFormat(format, model, scripts),
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
  const refusals = new Refusals(clock)

  // Sessions and presence.
  const sessions = sessionQueries(db, options)
  const rows = new SessionRows({ write: sessions.write, logger })
  const presence = new Presence({
    lanes,
    rows,
    clock,
    changed: (device, online) => carriers.subs.presenceChanged(device, online),
  })

  // What is sent to devices.
  const queue = commandQueue(db)
  const replies = new ReplyWatch(clock)
  const encoder = new CommandEncoder({
    product: num => directory.product(num),
    speaksBytes: device => carriers.speaksBytes(device),
    latest: devices => readLatestValues(db, devices),
    clock,
  })
  const downlink = new DownlinkPipeline({
    queue,
    reachable: device => (carriers.canTake(device) ? presence.device(device) : null),
    prepare: (command, device) => encoder.prepare(command, device),
    deliver: replies.watching((device, message, delivered) => carriers.deliver(device, message, delivered)),
    onChanged: changed,
    logger,
  })
  const sweep = new CommandSweep({
    queue,
    clock,
    remind: devices => downlink.remind(devices),
    retry: devices => downlink.wake(devices),
    onChanged: changed,
    logger,
  })
  const firmware = createFirmware({ ask: options.firmware ?? (async () => null), monotonic, logger })
  const answers = new Answers({ shadows: devices => shadowsOf(db, devices), clock, logger })

  // What devices send.
  const lanesBegin = new UntilBegun()
  const order = new DecodeOrder()
  const uplinks = { stored: 0, refused: 0 }
  const flow = new FlowControl({
    queries: flowQueries(db),
    monotonic,
    logger,
    ahead: device => options.arrivals.waitMs(device),
  })
  const pipeline = createUplinkPipeline({
    product: num => directory.product(num),
    validate: options.validate,
    lanes: flow.counting(lanes),
    counted: outcome => {
      uplinks[outcome]++
    },
    resolveSub: (gateway, sub) => carriers.subs.resolveSub(gateway, sub),
    order,
  })
  const intake = createIntake({ pipeline, lanes, lanesBegin, flow, replies, order })
  const notes = new Notes({ directory, lanes, clock, logger })
  const frames = new Frames({ clock, epoch: options.epoch, told: (...frame) => options.onFrames?.(...frame) })

  // The ways to devices.
  const portOf = devicePorts({
    intake,
    carriers,
    admission,
    wrongTries,
    refusals,
    counters,
    directory,
    presence,
    downlink,
    queue,
    flow,
    answers,
    firmware,
    lanes,
    frames,
    notes,
    clock,
  })
  const port = portOf(MQTT)
  const shortLinks = {
    opened(device: DeviceRecord, info: Parameters<typeof presence.opened>[1]) {
      carriers.endSimulated(device.num)
      presence.opened(device, info)
    },
    closed: (device: DeviceRecord, reason: Parameters<typeof presence.closed>[2]) =>
      presence.closed(device, true, reason),
  }
  const commands = {
    delivered: (device: number, id: string) => downlink.delivered(device, id),
    async takeCommands(device: DeviceRecord) {
      await Promise.all([device.num, ...carriers.subs.below(device.num)].map(num => downlink.take(num)))
    },
    returnCommands: (device: number, ids: string[]) => downlink.returned(device, ids),
    undelivered: (device: number, id: string, expired: string | null) => downlink.undelivered(device, id, expired),
    forgetCommands: (device: number) => downlink.forget(device),
    replyChannel: (device: DeviceRecord, id: string) => queue.replyChannel(device.num, id),
  }
  const simulator = createSimulator({ port: portOf(SIMULATOR), clock, monotonic })
  const platform = createPlatformTransport({ port: portOf('platform'), clock, monotonic, ...shortLinks })
  const { connections, http, subs, others } = carriers.hold({
    connections: options.connections(port, commands),
    http: createHttpTransport({ port, clock, monotonic, logger, ...shortLinks, ...commands }),
    others: {
      ...options.others?.(portOf, {
        ...commands,
        directory,
        clock,
        monotonic,
        scripts,
        linkProducts: () => linkProducts(db),
        boundTo: gateway => carriers.subs.boundTo(gateway),
        shortOpened: shortLinks.opened,
        shortClosed: shortLinks.closed,
      }),
      platform,
    },
    simulator,
    subs: new SubDevices({
      ...subDeviceQueries(db),
      directory,
      presence,
      clock,
      monotonic,
      logger,
      opened: (device, info) => presence.opened(device, info),
      closed: shortLinks.closed,
      make: request => options.register?.(request) ?? Promise.resolve(null),
      wake: devices => downlink.wake(devices),
      deliver: (device, message, delivered) => carriers.deliverDirectly(device, message, delivered),
    }),
  })

  // What looks after all of it.
  const kick = (device: number) => carriers.kick(device, 'kicked')
  const recovery = new Recovery({
    ...sessions,
    ...queue,
    refresh: devices => directory.refresh(devices),
    presence,
    adopt: (device, address, transport) => carriers.adopt(device, address, transport),
    onChanged: changed,
    logger,
  })
  const recheck = new Recheck({ directory, presence, kick, gone: device => lanes.forget(device), logger })
  const probe = createProbes({
    frames,
    refusals,
    directory,
    lanes,
    simulator,
    platform,
    lora: others.lora as LoraTransport | undefined,
    queued: options.queued ?? (() => 0),
    session: device => carriers.session(device),
    reachable: device => presence.device(device),
    polling: (device, gateway) => carriers.polling(device, gateway),
    deliver: (device, message, delivered) => carriers.deliver(device, message, delivered),
    freeDiskRatio: options.freeDiskRatio,
    certificateUntil: options.certificateUntil,
  })

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
      await carriers.start()
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
      await carriers.stop()
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
      carriers.changed(what)
    },
    kick,
    session: device => carriers.session(device),
    probe,
    watchFrames: devices => frames.watch(devices),
    flushFlow: () => flow.flush(),
    metrics: () => ({
      ...counters.snapshot(),
      ...carriers.metrics(),
      ...scripts.metrics(),
      ...firmware.chunks.metrics(),
      decoding_state: order.waiting,
      uplinks_stored: uplinks.stored,
      uplinks_refused: uplinks.refused,
      sessions_state: presence.size,
      directory_state: directory.size,
      framed_devices_state: frames.size,
    }),
  }
}
