import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { hostname } from 'node:os'
import { backgroundFailures, reportBackgroundTo } from '../../lib/background.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { cryptoBoxOf } from '../../lib/crypto/crypto-box.ts'
import { openPool } from '../../lib/database/pool.ts'
import { createLogger } from '../../lib/log.ts'
import { StepTimes } from '../../lib/step-times.ts'
import { writeUnknownKeys } from '../../modules/products/index.ts'
import { Arrivals } from '../arrivals.ts'
import { type GatewayStart, PEER_HEADER } from '../channel/ipc.ts'
import { WrongTries } from '../gateway/wrong-tries.ts'
import { createGateway } from '../gateway.ts'
import type { LaneOwner } from '../journal/lane-owner.ts'
import { createLanes } from '../lanes.ts'
import { StoreMemory } from '../stages/store-memory.ts'
import { UnknownKeys } from '../stages/unknown-keys.ts'
import { validate } from '../stages/validate.ts'
import { serveFrames } from '../transports/http/frame-server.ts'
import { serveNode } from '../transports/http/node-adapter.ts'
import { createMqttTransport, type MqttTransport } from '../transports/mqtt/mqtt.transport.ts'
import { createSessionStore } from '../transports/mqtt/store.ts'
import { endsAt, ownCertificate, readCertificate } from './certificate.ts'
import { watchCertificate } from './certificate-watch.ts'
import { createDeviceTransports } from './device-transports.ts'
import { createInternalListener } from './internal-listener.ts'
import { deviceIds } from './kept-frames.repo.ts'
import { keepFrames, recallFrames } from './kept-frames.ts'
import { nameListenError, triesOf } from './port-failure.ts'
import type { Outlet, RunningGateway } from './process.ts'
import { subscriberAccounts } from './subscriber-accounts.repo.ts'

const monotonic: Clock = { now: () => performance.now() }

/** Connections for look-ups, sessions and commands; the lanes have their own. */
const POOL = 4

/**
 * Starts the whole device path of one process: lanes, pipelines, MQTT on its ports, and the internal listener.
 * @throws PortFailure naming the variable of a port that cannot be had
 */
export async function startGateway(
  start: GatewayStart,
  outlet: Outlet,
  tuning: {
    graceMs?: number
    freeDiskRatio?: () => Promise<number>
    diskProbeMs?: number
    /** In place of a timer that holds back the answer to a wrong secret. */
    holdWrong?: (ms: number) => Promise<void>
  } = {},
): Promise<RunningGateway> {
  const steps = new StepTimes()
  const logger = createLogger(start.log, 'gateway')
  const reportAsBefore = reportBackgroundTo(logger)
  const own = start.tls ? null : await ownCertificate(start.keysDir, Date.now())
  const { tls } = start
  const certificate = watchCertificate({
    read: () => own ?? readCertificate(tls!),
    onRenewed(pems) {
      gateway.connections.renewCertificate(pems)
      logger.info({ until: new Date(endsAt(pems.cert)).toISOString() }, 'the certificate was renewed')
    },
    onFault: error => logger.error({ err: error }, 'a renewed certificate cannot be used; the one before is served on'),
  })
  const db = openPool({ ...start.database, max: POOL }, error =>
    logger.warn({ err: error }, 'database connection lost'),
  )
  const { freeDiskRatio = () => freeRatio(start.dataDir), diskProbeMs, holdWrong, ...rest } = tuning
  const wrongTries = new WrongTries({ clock: monotonic, hold: holdWrong })
  const arrivals = new Arrivals(systemClock, monotonic)
  const lanes = createLanes({
    arrivals,
    database: start.database,
    logger,
    clock: systemClock,
    onBatch: ({ buffer }) => outlet.batch(buffer),
    owner: ownerOf(start),
    freeDiskRatio,
    ...(diskProbeMs === undefined ? {} : { diskProbeMs }),
  })
  const memory = new StoreMemory()
  const unknown = new UnknownKeys({ write: keys => writeUnknownKeys(db, keys), logger })
  const devices = createDeviceTransports(start, logger)
  const gateway = createGateway<MqttTransport>({
    db,
    node: start.node,
    epoch: Date.now(),
    clock: systemClock,
    monotonic,
    logger,
    lanes,
    arrivals,
    validate: uplink => validate(uplink, { memory, arrivals, unknown }),
    onCommandsChanged: outlet.commands,
    secrets: start.deviceSecretKey ? cryptoBoxOf(Buffer.from(start.deviceSecretKey, 'base64')) : null,
    ...(outlet.register ? { register: outlet.register } : {}),
    ...(outlet.firmware ? { firmware: outlet.firmware } : {}),
    onFrames: outlet.frames,
    freeDiskRatio,
    queued: () => lanes.counters().queued,
    certificateUntil: () => endsAt(certificate.current().cert),
    ...rest,
    wrongTries,
    others: devices.create,
    connections: (ingest, { delivered }) =>
      createMqttTransport({
        ingest,
        delivered,
        subscribers: {
          signIn: subscriberAccounts(db, logger, wrongTries),
          ready: id => outlet.subscriberReady?.(id),
        },
        store: createSessionStore(db, systemClock, logger),
        log: logger.child({ part: 'mqtt' }),
        tcp: { host: start.host, port: start.mqtt.port, tryNext: triesOf(start.mqtt) },
        tls: { host: start.host, port: start.mqtts.port, tryNext: triesOf(start.mqtts), ...certificate.current() },
      }),
  })
  const listener = createInternalListener({
    socketPath: start.socketPath,
    logger,
    device: serveNode(gateway.http.handle, peerOf),
    frames: socket => serveFrames(socket, gateway.http.handle),
    mqtt: (request, socket, head) => gateway.connections.handleUpgrade(request, socket, head, peerOf(request)),
    devices: (request, socket, head) => devices.handleUpgrade(request, socket, head, peerOf(request)),
  })
  try {
    await gateway.start(step => steps.done(step))
    await listener.start()
    logger.info({ ms: steps.ms }, 'started')
  } catch (error) {
    throw nameListenError(error, start.host, [start.mqtt, start.mqtts, start.tcp, start.udp, start.coap])
  }
  // Devices are served meanwhile.
  const kept = { folder: start.dataDir, idsOf: (nums: readonly number[]) => deviceIds(db, nums) }
  gateway.frames.ready = recallFrames(gateway.frames, kept).catch((error: Error) =>
    logger.warn({ err: error }, 'raw frames from before the restart could not be read'),
  )
  const { mqtt, mqtts } = gateway.connections.ports()
  return {
    ports: { mqtt: mqtt!, mqtts, tcp: null, udp: null, coap: null, ...devices.ports() },
    wake: gateway.wake,
    forget: gateway.forget,
    kick: gateway.kick,
    session: gateway.session,
    subscribers: gateway.connections.subscribers,
    linkPorts: devices.linkPorts,
    probe: gateway.probe,
    watchFrames: gateway.watchFrames,
    flushFlow: gateway.flushFlow,
    reload: () => certificate.look(),
    metrics: () =>
      prefixed('gateway', {
        ...gateway.metrics(),
        ...prefixed('lanes', { ...lanes.counters(), ...lanes.states() }),
        ...prefixed('mqtt', gateway.connections.connections()),
        ...backgroundFailures(),
        ...processFigures(),
      }),
    async stop() {
      certificate.stop()
      listener.stop()
      await gateway.stop()
      await unknown.flush()
      await gateway.frames.ready
      await keepFrames(gateway.frames, { ...kept, freeDiskRatio }).catch((error: Error) =>
        logger.warn({ err: error }, 'raw frames were not kept for the next start'),
      )
      await db.end()
      reportAsBefore()
    },
  }
}

/** The address that the front door vouches for; nobody else can open the socket file. */
function peerOf(request: IncomingMessage): string {
  return String(request.headers[PEER_HEADER] ?? '-:0')
}

/** One data folder has one server at a time: what bears its name and is older is nobody's any more. */
function ownerOf({ node, dataDir, deviceSecretKey }: GatewayStart): LaneOwner {
  const hash = createHash('sha256').update([hostname(), realpathSync(dataDir), node, deviceSecretKey ?? ''].join('\0'))
  return { node: hash.digest('hex').slice(0, 12), since: Date.now() }
}

async function freeRatio(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}

function prefixed(prefix: string, values: object): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, Number(value)]))
}

function processFigures(): Record<string, number> {
  const { user, system } = process.cpuUsage()
  return { cpu_seconds: (user + system) / 1e6, resident_bytes_state: process.memoryUsage.rss() }
}
