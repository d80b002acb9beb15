import type pg from 'pg'
import type { Clock } from '../lib/clock.ts'
import type { GatewayPort, SessionInfo } from '../lib/gateway-port.ts'
import type { ChangedCommand, GatewayMetrics } from '../lib/ipc.ts'
import type { Logger } from '../lib/log.ts'
import { DownlinkPipeline } from './downlink.pipeline.ts'
import { Answers } from './gateway/answers.ts'
import { commandQueue } from './gateway/command-queue.repo.ts'
import { CommandSweep } from './gateway/command-sweep.ts'
import { Counters } from './gateway/counters.ts'
import { directoryQueries } from './gateway/directory.repo.ts'
import { Directory } from './gateway/directory.ts'
import { Notes } from './gateway/notes.ts'
import { Recheck } from './gateway/recheck.ts'
import { shadowsOf } from './gateway/shadow.repo.ts'
import { signIn } from './gateway/sign-in.ts'
import { type Lanes, laneOf } from './lanes.port.ts'
import { sessionQueries } from './presence/device-sessions.repo.ts'
import { Presence } from './presence/presence.ts'
import { Recovery } from './presence/recovery.ts'
import { SessionRows } from './presence/session-rows.ts'
import type { IdentifiedUplink } from './stages/identify.ts'
import { createHttpTransport, type HttpTransport } from './transports/http/http.transport.ts'
import type { IngestPort, Transport } from './transports/transport.ts'
import { createUplinkPipeline } from './uplink.pipeline.ts'
import type { JournalEntry } from './uplink.ts'

/** What a transport with connections of its own gets besides the port. */
export interface ConnectionHooks {
  /** A device confirmed a command that was handed over in an earlier life of the gateway. */
  delivered(device: number, commandId: string): void
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
  /** The stage that checks a message against the thing model. */
  validate(uplink: IdentifiedUplink): JournalEntry[]
  /** Makes the transport whose sessions are connections (MQTT). */
  connections(port: IngestPort, hooks: ConnectionHooks): T
  onCommandsChanged(changed: ChangedCommand[]): void
  /** How long devices of the life before have to come back, ms. */
  graceMs?: number
}

/** The device path of one process: directory, pipelines, presence and transports, put together. */
export interface Gateway<T extends Transport> extends Omit<GatewayPort, 'session'> {
  readonly port: IngestPort
  readonly connections: T
  readonly http: HttpTransport
  start(): Promise<void>
  /** Takes nothing more, lets everything taken be stored and acknowledged, then lets go of the lanes. */
  stop(): Promise<void>
  session(device: number): SessionInfo | null
  metrics(): GatewayMetrics
}

export function createGateway<T extends Transport>(options: GatewayOptions<T>): Gateway<T> {
  const { db, clock, monotonic, logger, lanes, onCommandsChanged } = options
  const counters = new Counters()
  const uplinks = { stored: 0, refused: 0 }
  const queue = commandQueue(db)
  const sessions = sessionQueries(db, options)
  const directory = new Directory({ ...directoryQueries(db), clock, logger })
  const rows = new SessionRows({ write: sessions.write, logger })
  const presence = new Presence({ lanes, rows, clock })
  const notes = new Notes({ directory, lanes, clock, logger })
  const answers = new Answers({ shadows: devices => shadowsOf(db, devices), clock, logger })

  const changed = (commands: ChangedCommand[]) => {
    counters.add('commands_changed', commands.length)
    onCommandsChanged(commands)
  }
  const downlink = new DownlinkPipeline({
    queue,
    reachable: device => (canTake(device) ? presence.device(device) : null),
    deliver: (device, message, delivered) => {
      const result = connections.deliver(device, message, delivered)
      return result === 'not_reachable' ? http.deliver(device, message, delivered) : result
    },
    onChanged: changed,
    logger,
  })
  const canTake = (device: number) =>
    (connections.session(device)?.subscriptions.length ?? 0) > 0 || http.isWaiting(device)
  const accept = createUplinkPipeline({
    product: num => directory.product(num),
    validate: options.validate,
    lanes,
    counted: outcome => {
      uplinks[outcome]++
    },
  })

  const port: IngestPort = {
    async signIn(request) {
      const result = await signIn({ directory, clock, logger }, request)
      counters.add(result.ok ? 'sign_ins' : `sign_ins_refused_${result.reason}`)
      return result
    },
    accept,
    hasRoom: device => lanes.hasRoom(laneOf(device.num)),
    onDrain: (device, resume) => lanes.onDrain(laneOf(device.num), resume),
    sessionOpened(device, info) {
      presence.opened(device, info)
      downlink.forget(device.num)
      if (info.subscriptions.length > 0) downlink.wake([device.num])
    },
    sessionReady(device) {
      const info = connections.session(device.num)
      if (info) presence.changed(device, info)
      downlink.wake([device.num])
    },
    sessionClosed(device, reason) {
      presence.closed(device, false, reason)
      downlink.forget(device.num)
    },
    answer: async (device, query) =>
      query.kind === 'ntp' ? answers.time(query.payload, query.arrivedAt) : answers.shadow(device.num),
    note: (productKey, deviceNo, event, detail) => void notes.note(productKey, deviceNo, event, detail),
  }
  const connections = options.connections(port, { delivered: (device, id) => downlink.delivered(device, id) })
  const http = createHttpTransport({
    port,
    clock,
    monotonic,
    logger,
    opened: (device, info) => presence.opened(device, info),
    closed: (device, reason) => presence.closed(device, true, reason),
    takeCommands: device => downlink.take(device.num),
    returnCommands: (device, ids) => downlink.returned(device, ids),
    replyChannel: (device, id) => queue.replyChannel(device.num, id),
  })
  const sweep = new CommandSweep({ queue, clock, remind: d => downlink.remind(d), onChanged: changed, logger })
  const recovery = new Recovery({
    ...sessions,
    ...queue,
    refresh: devices => directory.refresh(devices),
    presence,
    adopt: (device, address) => http.adopt(device, address),
    onChanged: changed,
    logger,
  })
  const kick = (device: number) => {
    connections.kick(device, 'kicked')
    http.kick(device, 'kicked')
  }
  const recheck = new Recheck({ directory, presence, kick, gone: device => lanes.forget(device), logger })

  return {
    port,
    connections,
    http,
    async start() {
      await lanes.start()
      await recovery.start(options.graceMs)
      await http.start()
      await connections.start()
      sweep.start()
      recheck.start()
    },
    async stop() {
      recheck.stop()
      recovery.stop()
      await sweep.stop()
      await Promise.all([connections.stop(), http.stop()])
      await downlink.stop()
      await rows.stop()
      await lanes.stop()
    },
    wake: devices => downlink.wake(devices),
    forget(what) {
      directory.forget(what)
      if (what.device !== undefined) recheck.tell([what.device])
      if (what.product !== undefined) recheck.tell(presence.devicesOf(what.product))
    },
    kick,
    session: device => connections.session(device) ?? http.session(device),
    metrics: () => ({
      ...counters.snapshot(),
      uplinks_stored: uplinks.stored,
      uplinks_refused: uplinks.refused,
      sessions_state: presence.size,
      polls_state: http.polls(),
      directory_state: directory.size,
    }),
  }
}
