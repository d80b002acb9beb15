import { join } from 'node:path'
import { loadSecretKey, openDataDir } from '../db/data-dir.ts'
import { type PreparedDatabase, prepareDatabase } from '../db/prepare.ts'
import { ownCertificate, readCertificate } from '../ingest/process/certificate.ts'
import { watchCertificate } from '../ingest/process/certificate-watch.ts'
import { inBackground, reportBackgroundTo } from '../lib/background.ts'
import { clientAddress } from '../lib/client-address.ts'
import type { Config } from '../lib/config.ts'
import { openPool } from '../lib/database/pool.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { createNews } from '../lib/news.ts'
import { StepTimes } from '../lib/step-times.ts'
import { createLiveHub, createLiveSocket } from '../modules/live/index.ts'
import { answerFirmware } from '../modules/ota/firmware.port.ts'
import { localUrl } from './addresses.ts'
import { banner } from './banner.ts'
import { createCompanyJobs } from './company-jobs.ts'
import { createContainer } from './container.ts'
import { containerSettings } from './container-settings.ts'
import { createDemo } from './demo.ts'
import { connectDemoNetworks } from './demo-networks.ts'
import { ensureFirstLogins } from './first-logins.ts'
import { createGatewayClient } from './gateway-client.ts'
import { loadGateway } from './gateway-program.ts'
import { gatewaySettings } from './gateway-settings.ts'
import { createHealthBoard } from './health-board.ts'
import { createHttps } from './https.ts'
import { createLiveFeed } from './live-feed.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, FRAME_TOPICS, framedDevices } from './live-source.ts'
import { createPlace } from './place.ts'
import { listenOn } from './ports.ts'
import { startRuns, startSweeps } from './run-modules.ts'
import { logHasAnotherKey, openWithLog } from './sealed-log.ts'
import { closeHttp, createServing } from './serve.ts'
import { createSimulators } from './simulators.ts'
import { createStop, type Stop } from './stop.ts'
import { createSubscriptionTargets } from './subscription-targets.ts'
import { VERSION } from './version.ts'
import { createWorker } from './worker.ts'

export interface RunningServer {
  banner: string
  /** The ports that were taken, as the variables by which to ask for the same ones again. */
  portSettings: Record<string, string>
  /** Reads files that were renewed on disk: the certificate. */
  reload(): void
  /** Takes what has arrived, commits it, closes everything in order. */
  stop(): Promise<void>
}

/**
 * Starts the whole server. What was started is ended again when a later part fails.
 * @throws StartError, PortError or GatewayStartError with one printable line
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const logger = createLogger({ level: config.logLevel, format: config.logFormat }, 'thingwright')
  const stop = createStop((name, error) => logger.error({ err: error }, `stopping ${name} failed`))
  stop.add('reports of background work', reportBackgroundTo(logger))
  try {
    return await start(config, logger, stop)
  } catch (error) {
    await stop.run()
    throw error
  }
}

async function start(config: Config, logger: Logger, stop: Stop): Promise<RunningServer> {
  const began = performance.now()
  const steps = new StepTimes()
  const now = () => Date.now()
  const logOf = (part: string) => logger.child({ part })
  const connectionLost = (error: Error) => logger.warn({ err: error }, 'database connection lost')

  // ── What everything stands on: the data folder, the database, who signs in first ──
  const dataDir = await openDataDir(config.dataDir)
  stop.add('data folder', () => dataDir.release())
  const secretKey = config.secretKey ?? loadSecretKey(dataDir.path)
  steps.done('data folder')
  // Devices wait for three things: this process, the database and the gateway's program. The two others load meanwhile.
  const program = loadGateway()
  stop.add('program of the gateway', () => program.end())
  const prepared = await prepareDatabase({
    dataDir: dataDir.path,
    databaseUrl: config.databaseUrl,
    secretKey,
    logger: logOf('database'),
  })
  stop.add('database', () => prepared.stop())
  steps.done('database')
  endWithDatabase(prepared, logger, stop)
  const news = createNews(error => logger.error({ err: error }, 'news were not taken'))
  const database = (await openWithLog(prepared.access, connectionLost, secretKey)).telling(news)
  stop.add('database pools', () => database.close())
  if (await logHasAnotherKey(database, secretKey))
    logger.error(
      'SECRET_KEY is not the one that the operation log was sealed with: it cannot be verified until that one is set again',
    )
  const queuePool = openPool({ ...prepared.access.telemetry, max: 4 }, connectionLost)
  stop.add('queues of subscriptions', () => queuePool.end())
  const logins = await ensureFirstLogins(database, config)
  steps.done('first logins')

  // ── The parts, each made of those before it ──
  const place = createPlace(config)
  const gateway = createGatewayClient({
    start: gatewaySettings(config, prepared, dataDir.path, secretKey),
    logger: logOf('gateway'),
    loaded: program,
  })
  const addressOf = (request: Parameters<typeof clientAddress>[0]) => clientAddress(request, config.trustProxy)
  const targets = createSubscriptionTargets({ outboundAllow: config.outboundAllow, gateway, addressOf, now })
  const health = createHealthBoard({
    database,
    dataDir: dataDir.path,
    version: VERSION,
    gateway,
    ports: () => ({ ...place.ports() }),
  })
  const simulators = createSimulators({ available: config.demo, logger: logOf('simulators') })
  const container = createContainer({
    ...containerSettings(config, dataDir.path),
    simulators,
    database,
    news,
    gateway,
    probes: gateway,
    behind: health.behind,
    health: health.report,
    secretKey,
    logger,
    addresses: place.addresses,
    subscriptionTargets: targets.adapters,
    queuePool,
  })
  stop.add('simulators', () => simulators.stop())
  const hub = createLiveHub(now, topic => {
    if (topic.startsWith(FRAME_TOPICS)) gateway.watchFrames(framedDevices(hub.topics(FRAME_TOPICS)))
  })
  const sockets = createLiveSocket({
    hub,
    logger: logOf('live'),
    authenticate: (token, ip) => container.identity.authenticate(token, { ip, passive: true }),
    addressOf,
    source: createLiveSource(database, createLiveSnapshots(container)),
    visitors: container.cloudPages.visitors,
    now,
  })
  const live = createLiveFeed({ hub, sockets, container, database, logger })
  for (const hearing of live.hears) news.hear(hearing)
  news.hear({ 'subscription.account_ended': ({ id }) => gateway.kickSubscriber(id) })
  const worker = createWorker({
    access: prepared.access.telemetry,
    live,
    tell: news.tell,
    modules: container.modules,
    triggers: container.triggers,
    logger: logOf('worker'),
  })
  health.add({ worker, live: { connections: () => sockets.connections(), topics: () => hub.size() } })

  // From here on everything that devices ask of this process can be answered. They come first: pages and what reads the
  // journal wait for them, and whoever finds much to read again does not hold them up.
  const gatewayStart = outcomeOf(
    gateway.start({
      batch: buffer => worker.feed(buffer),
      commandsChanged: commands => news.tell('commands.changed', { commands }),
      register: request =>
        'sub' in request
          ? container.devices.subDevices.make(request)
          : container.deviceIdentity.registrations.answer(request),
      // A notice carries our address: before that is known nobody is told.
      firmware: async asked =>
        asked.kind === 'pull' && !place.settled() ? null : answerFirmware(container.ota.desk, asked),
      frames: live.frames,
    }),
  )
  const demo = createDemo({
    config,
    container,
    tenantId: logins.tenantId,
    database,
    dataDir: dataDir.path,
    secretKey,
    logger: logOf('demo'),
  })
  const http = await createServing({
    config,
    container,
    database,
    prepared,
    gateway,
    worker,
    hub,
    sockets,
    streams: targets.streams,
    logger: logOf('http'),
  })
  steps.done('modules')

  // ── The start: devices, what reads their journal, work beside requests, pages, whatever needs our address ──
  const { modules } = container
  const devicePorts = (await gatewayStart)()
  steps.done('gateway')
  await startRuns(modules, 'journal', stop)
  steps.done('subscriptions')
  await worker.start()
  steps.done('consumers')
  stop.add('consumers', () => worker.stop())
  const companyJobs = createCompanyJobs({
    database,
    company: container.company,
    modules,
    logger: logOf('companies'),
    now,
  })
  companyJobs.start()
  stop.add('company jobs', () => companyJobs.stop())
  await startRuns(modules, 'work', stop)
  // Stopped before those who read what it stores.
  stop.add('gateway', () => gateway.stop())
  const httpPort = await listenOn(http.server, config.host, config.http)
  steps.done('http')
  logger.info({ ms: steps.ms }, 'started')
  stop.add('http', () => closeHttp(http, [sockets, targets.streams]))
  const reloads = [() => gateway.reload()]
  if (config.https) {
    const { tls } = config
    const own = tls ? null : await ownCertificate(join(dataDir.path, 'keys'), now())
    const certificate = watchCertificate({
      read: () => own ?? readCertificate(tls!),
      onRenewed: pems => https.setSecureContext(pems),
      onFault: error => logOf('https').error({ err: error }, 'a renewed certificate cannot be used'),
    })
    stop.add('certificate', () => certificate.stop())
    reloads.push(certificate.look)
    const https = createHttps({
      http,
      own: certificate.current(),
      certificateOf: async host =>
        (await container.modules.find(module => module.certificateOf)?.certificateOf?.(host)) ?? null,
      onFault: (error, host) => logOf('https').warn({ err: error, host }, 'the certificate of a portal was not used'),
    })
    await listenOn(https, config.host, config.https)
    stop.add('https', () => {
      https.closeAllConnections()
      https.close()
    })
  }
  await startRuns(modules, 'streams', stop)
  place.settle({ http: httpPort, ...devicePorts })
  await startRuns(modules, 'address', stop)
  dataDir.writeRunInfo({
    startedAt: new Date().toISOString(),
    urls: { http: place.url() },
    ports: Object.fromEntries(
      Object.entries(place.ports()).filter((entry): entry is [string, number] => entry[1] !== null),
    ),
  })
  if (config.demo) {
    await demo.start({ mqttPort: devicePorts.mqtt, tcpPort: devicePorts.tcp, fresh: logins.fresh })
    stop.add('demo', () => demo.stop())
    const networks = {
      modules,
      tenantId: logins.tenantId,
      dataDir: dataDir.path,
      simulators,
      customer: () => demo.customer(),
      url: localUrl(config.host, httpPort),
    }
    // Cards of theirs are put into devices of the demo.
    inBackground(
      'connecting the demo to its networks',
      demo.seeded().then(() => connectDemoNetworks(networks)),
    )
  }
  startSweeps(modules, stop)

  return {
    banner: banner({
      version: VERSION,
      httpUrl: place.url(),
      mqtt: `${config.host}:${devicePorts.mqtt}`,
      mqtts: devicePorts.mqtts ? `${config.host}:${devicePorts.mqtts}` : null,
      tcp: devicePorts.tcp,
      udp: devicePorts.udp,
      coap: devicePorts.coap,
      database: `PostgreSQL ${prepared.version}, ${prepared.kind}${prepared.timescale ? `, TimescaleDB ${prepared.timescale}` : ''}`,
      dataDir: dataDir.path,
      tookMs: performance.now() - began,
      newLogins: logins.made,
      demo: config.demo,
      moved: place.moved(),
    }),
    portSettings: place.settings(),
    reload() {
      for (const reload of reloads) reload()
    },
    stop: () => stop.run(),
  }
}

/** A database that does not come up again ends everything: somebody above starts it anew. */
function endWithDatabase(prepared: PreparedDatabase, logger: Logger, stop: Stop): void {
  prepared.embedded?.onEvent(event => {
    if (event.type !== 'gave_up') return
    logger.fatal('the database does not come up again; ending')
    inBackground(
      'ending after the database',
      stop.run().then(() => process.exit(1)),
    )
  })
}

/** Waits without an unhandled rejection until somebody asks how it went. */
function outcomeOf<T>(promise: Promise<T>): Promise<() => T> {
  return promise.then(
    value => () => value,
    (error: unknown) => () => {
      throw error
    },
  )
}
