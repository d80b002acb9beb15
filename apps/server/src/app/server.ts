import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSecretKey, openDataDir } from '../db/data-dir.ts'
import { prepareDatabase } from '../db/prepare.ts'
import { backgroundFailures, inBackground, reportBackgroundTo } from '../lib/background.ts'
import { clientAddress } from '../lib/client-address.ts'
import type { Config } from '../lib/config.ts'
import { deriveKey } from '../lib/crypto-box.ts'
import { answerFirmware } from '../lib/firmware-port.ts'
import { createLogger } from '../lib/log.ts'
import { openPool } from '../lib/pool.ts'
import { runOn, sql } from '../lib/sql/statement.ts'
import { StepTimes } from '../lib/step-times.ts'
import { createLiveHub, createLiveSocket } from '../modules/live/index.ts'
import { addressesOf, type DevicePorts, urlOf } from './addresses.ts'
import { banner } from './banner.ts'
import { createCompanyJobs } from './company-jobs.ts'
import { consoleFiles, consoleFolder } from './console-files.ts'
import { type Container, createContainer } from './container.ts'
import { createDemo } from './demo.ts'
import { DEMO_PHONE, ensureFirstLogins } from './first-logins.ts'
import { createGatewayClient } from './gateway-client.ts'
import { loadGateway } from './gateway-program.ts'
import { healthRoutes } from './health.ts'
import { healthReport } from './health-report.ts'
import { storageChecks } from './health-storage.ts'
import { createHttp } from './http.ts'
import { createLiveFeed } from './live-feed.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource, FRAME_TOPICS, framedDevices } from './live-source.ts'
import { listenOn } from './ports.ts'
import { logHasAnotherKey, openWithLog } from './sealed-log.ts'
import { createStop } from './stop.ts'
import { streamRights } from './stream-rights.ts'
import { createSubscriptionTargets } from './subscription-targets.ts'
import { createUpgrades } from './upgrades.ts'
import { VERSION } from './version.ts'
import { createWorker } from './worker.ts'

export interface RunningServer {
  banner: string
  /** The ports that were taken, as the variables by which to ask for the same ones again. */
  portSettings: Record<string, string>
  /** Takes what has arrived, commits it, closes everything in order. */
  stop(): Promise<void>
}

const DATABASE = sql`select 1`

/**
 * Starts the whole server. What was started is ended again when a later part fails.
 * @throws StartError, PortError or GatewayStartError with one printable line
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const began = performance.now()
  const steps = new StepTimes()
  const logger = createLogger({ level: config.logLevel, format: config.logFormat }, 'thingwright')
  const stop = createStop((name, error) => logger.error({ err: error }, `stopping ${name} failed`))
  stop.add('reports of background work', reportBackgroundTo(logger))
  try {
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
      logger: logger.child({ part: 'database' }),
    })
    stop.add('database', () => prepared.stop())
    steps.done('database')
    prepared.embedded?.onEvent(event => {
      if (event.type !== 'gave_up') return
      logger.fatal('the database does not come up again; ending')
      inBackground(
        'ending after the database',
        stop.run().then(() => process.exit(1)),
      )
    })
    const database = await openWithLog(
      prepared.access,
      error => logger.warn({ err: error }, 'database connection lost'),
      secretKey,
    )
    stop.add('database pools', () => database.close())
    if (await logHasAnotherKey(database, secretKey))
      logger.error(
        'SECRET_KEY is not the one that the operation log was sealed with: it cannot be verified until that one is set again',
      )
    const queuePool = openPool({ ...prepared.access.telemetry, max: 4 }, error =>
      logger.warn({ err: error }, 'database connection lost'),
    )
    stop.add('queues of subscriptions', () => queuePool.end())
    const logins = await ensureFirstLogins(database, config)
    steps.done('first logins')

    const hub = createLiveHub(Date.now, topic => {
      if (topic.startsWith(FRAME_TOPICS)) gateway.watchFrames(framedDevices(hub.topics(FRAME_TOPICS)))
    })
    let ports: DevicePorts = { http: 0, mqtt: 0, mqtts: null, tcp: null, udp: null, coap: null }
    const gateway = createGatewayClient({
      start: {
        database: prepared.access.telemetry,
        node: 'local',
        host: config.host,
        mqtt: config.mqtt,
        mqtts: config.mqtts,
        tcp: config.tcp,
        udp: config.udp,
        coap: config.coap,
        tcpRange: config.tcpRange,
        tls: config.tls,
        keysDir: join(dataDir.path, 'keys'),
        dataDir: dataDir.path,
        socketPath: join(
          prepared.embedded?.address.socketDir ?? dataDir.path,
          `gateway-${randomUUID().slice(0, 8)}.sock`,
        ),
        log: { level: config.logLevel, format: config.logFormat },
        deviceSecretKey: deriveKey(secretKey, 'device-secret').toString('base64'),
      },
      logger: logger.child({ part: 'gateway' }),
      loaded: program,
      onBatch: buffer => worker.feed(buffer),
      onRegistration: request =>
        'sub' in request
          ? container.devices.subDevices.make(request)
          : container.deviceIdentity.registrations.answer(request),
      onCommandsChanged: changed => live.commandsChanged(changed),
      // A notice carries our address: before that is known nobody is told.
      onFirmware: async asked =>
        asked.kind === 'pull' && ports.http === 0 ? null : answerFirmware(container.ota.desk, asked),
      onFrames: (...frames) => live.frames(...frames),
    })
    const targets = createSubscriptionTargets({
      outboundAllow: config.outboundAllow,
      gateway,
      authorise: streamRights(() => container),
      addressOf: request => clientAddress(request, config.trustProxy),
      now: () => Date.now(),
    })
    const container: Container = createContainer({
      database,
      gateway,
      probes: gateway,
      behind: () => worker.gauges(),
      secretKey,
      logger,
      addresses: () => addressesOf(config, ports),
      ownPorts: config.tcpRange,
      version: VERSION,
      health: () =>
        healthReport({
          database,
          dataDir: dataDir.path,
          version: VERSION,
          gateway,
          worker,
          live: { connections: () => sockets.connections(), topics: () => hub.size() },
          ports: () => ({ ...ports }),
        }),
      onCommandsChanged: changed => live.commandsChanged(changed),
      onInboxChanged: tenantId => live.inboxChanged(tenantId),
      onTaskChanged: change => live.taskChanged(change),
      onRightsChanged: loginIds => live.rightsChanged(loginIds),
      onKeysChanged: ids => sockets.recheck(ids),
      deviceCertificate: () => {
        const file = config.tls?.certFile ?? join(dataDir.path, 'keys', 'mqtts-cert.pem')
        return existsSync(file) ? readFileSync(file, 'utf8') : null
      },
      onMenuChanged: () => live.menuChanged(),
      devFlag: config.devFlag,
      demo: config.demo,
      secureCookie: config.publicUrl?.startsWith('https:') ?? false,
      publicUrl: config.publicUrl,
      outboundAllow: config.outboundAllow,
      subscriptionTargets: targets.adapters,
      queuePool,
      onAccountEnded: id => gateway.kickSubscriber(id),
      mail: config.mail,
      llm: config.llm,
      objectStore: config.objectStore,
      uploadsDir: join(dataDir.path, 'uploads'),
      outboxDir: join(dataDir.path, 'outbox'),
    })
    const sockets = createLiveSocket({
      hub,
      logger: logger.child({ part: 'live' }),
      authenticate: (token, ip) => container.identity.authenticate(token, { ip, passive: true }),
      addressOf: request => clientAddress(request, config.trustProxy),
      source: createLiveSource(database, createLiveSnapshots(container)),
      now: () => Date.now(),
    })
    const live = createLiveFeed({ hub, sockets, container, database, logger })
    const worker = createWorker({
      access: prepared.access.telemetry,
      live,
      subscriptions: container.subscriptions,
      logger: logger.child({ part: 'worker' }),
    })

    // From here on everything that devices ask of this process can be answered. They come first: pages and what reads the
    // journal wait for them, and whoever finds much to read again does not hold them up.
    const gatewayStart = outcomeOf(gateway.start())
    const upgrades = createUpgrades({ live: sockets, streams: targets.streams, gateway, publicUrl: config.publicUrl })
    const demo = createDemo({
      config,
      container,
      tenantId: logins.tenantId,
      database,
      dataDir: dataDir.path,
      secretKey,
      logger: logger.child({ part: 'demo' }),
    })
    const http = await createHttp({
      routes: container.routes,
      logger: logger.child({ part: 'http' }),
      trustProxy: config.trustProxy,
      publicUrl: config.publicUrl,
      version: VERSION,
      authenticate: (token, origin) => container.identity.authenticate(token, origin),
      asRole: (ctx, roleId) => container.roles.service.asRole(ctx, roleId),
      programs: container.developer.programs,
      idempotency: container.idempotency,
      onRefused: container.audit.refusals.note,
      proxyDevice: (request, response) => gateway.proxyRequest(request, response),
      upgrade: upgrades.handle,
      async plain(app) {
        healthRoutes(app, {
          alive: () => gateway.alive() || 'the gateway does not answer',
          checks: {
            database: async () => ((await runOn(database.telemetry, DATABASE)).rowCount === 1 ? true : 'no answer'),
            gateway: async () => gateway.ready() || 'not running',
            consumers: async () => worker.ready() || 'catching up',
            ...storageChecks({ metrics: () => gateway.metrics(), disk: () => prepared.embedded?.disk() ?? null }),
          },
          gauges: async () => ({
            ...((await gateway.metrics()) ?? {}),
            ...(await worker.gauges()),
            ...(await container.subscriptions.deliverers.gauges()),
            ...backgroundFailures(),
            live_connections: sockets.connections(),
            live_topics: hub.size(),
            stream_connections: targets.streams.connections(),
          }),
          metricsToken: config.metricsToken,
        })
        await consoleFiles(app, consoleFolder(), () => ({
          devFlag: config.devFlag,
          demo: config.demo,
          version: VERSION,
          ...(config.demo ? { demoSignIn: { username: 'demo', phone: DEMO_PHONE } } : {}),
        }))
      },
    })

    steps.done('modules')
    const devicePorts = (await gatewayStart)()
    steps.done('gateway')
    await container.subscriptions.start()
    steps.done('subscriptions')
    stop.add('subscriptions', () => container.subscriptions.stop())
    await worker.start()
    steps.done('consumers')
    stop.add('consumers', () => worker.stop())
    const companyJobs = createCompanyJobs({
      database,
      company: container.company,
      expiry: [container.deviceIdentity.expiry, container.developer.expiry],
      logger: logger.child({ part: 'companies' }),
      now: () => Date.now(),
    })
    companyJobs.start()
    stop.add('company jobs', () => companyJobs.stop())
    container.audit.chain.start()
    stop.add('operation log', () => container.audit.chain.stop())
    container.developer.recorder.start()
    stop.add('calls of programs', () => container.developer.recorder.stop())
    container.tasks.runner.start()
    stop.add('tasks', () => container.tasks.runner.stop())
    container.commands.runners.batches.start()
    container.commands.runners.schedules.start()
    stop.add('batch commands', () => container.commands.runners.batches.stop())
    stop.add('periodic reads', () => container.commands.runners.schedules.stop())
    // Stopped before those who read what it stores.
    stop.add('gateway', () => gateway.stop())
    const httpPort = await listenOn(http.server, config.host, config.http)
    steps.done('http')
    logger.info({ ms: steps.ms }, 'started')
    stop.add('http', () => closeHttp(http, [sockets, targets.streams]))
    // Its answers are streams: they end before HTTP waits for what is open.
    stop.add('assistant', () => container.assistant.stop())
    ports = { http: httpPort, ...devicePorts }
    // Its notices carry our address, so it must be known.
    container.ota.runner.start()
    stop.add('firmware campaigns', () => container.ota.runner.stop())

    const url = urlOf(config, httpPort)
    dataDir.writeRunInfo({
      startedAt: new Date().toISOString(),
      urls: { http: url },
      ports: Object.fromEntries(Object.entries(ports).filter((entry): entry is [string, number] => entry[1] !== null)),
    })
    if (config.demo) {
      await demo.start({ mqttPort: devicePorts.mqtt, tcpPort: devicePorts.tcp, fresh: logins.fresh })
      stop.add('demo', () => demo.stop())
    }
    inBackground('clearing deleted devices', container.devices.lifecycle.purgePending())
    const sweepMedia = () => inBackground('clearing objects that belong to nothing', container.media.sweep(Date.now()))
    sweepMedia()
    const mediaSweep = setInterval(sweepMedia, 60 * 60_000)
    stop.add('clearing of uploads', async () => clearInterval(mediaSweep))

    const sweepSecurity = () =>
      inBackground('closing companies and clearing sign-in history', container.security.sweep())
    sweepSecurity()
    const securitySweep = setInterval(sweepSecurity, 60 * 60_000)
    stop.add('closing of companies', async () => clearInterval(securitySweep))

    const sweepAssistant = () => inBackground('clearing old conversations', container.assistant.sweep(Date.now()))
    sweepAssistant()
    const assistantSweep = setInterval(sweepAssistant, 60 * 60_000)
    stop.add('clearing of conversations', async () => clearInterval(assistantSweep))

    const moved = [
      { setting: config.http, port: httpPort },
      { setting: config.mqtt, port: devicePorts.mqtt },
      { setting: config.mqtts, port: devicePorts.mqtts },
      { setting: config.tcp, port: devicePorts.tcp },
      { setting: config.udp, port: devicePorts.udp },
      { setting: config.coap, port: devicePorts.coap },
    ].filter(({ setting, port }) => port !== null && setting.port !== 0 && setting.port !== port)
    return {
      banner: banner({
        version: VERSION,
        httpUrl: url,
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
        moved: moved.map(
          ({ setting, port }) => `${setting.variable}: ${setting.port} was in use, so ${port} was taken`,
        ),
      }),
      portSettings: {
        HTTP_PORT: String(httpPort),
        MQTT_PORT: String(devicePorts.mqtt),
        ...portSetting('MQTTS_PORT', devicePorts.mqtts),
        ...portSetting('TCP_PORT', devicePorts.tcp),
        ...portSetting('UDP_PORT', devicePorts.udp),
        ...portSetting('COAP_PORT', devicePorts.coap),
      },
      stop: () => stop.run(),
    }
  } catch (error) {
    await stop.run()
    throw error
  }
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

/** A port that is off was switched off by its setting, which stays as it is. */
function portSetting(variable: string, port: number | null): Record<string, string> {
  return port === null ? {} : { [variable]: String(port) }
}

/** No new requests; those under way get 5 s. */
async function closeHttp(
  http: Awaited<ReturnType<typeof createHttp>>,
  sockets: readonly { close(): void }[],
): Promise<void> {
  for (const socket of sockets) socket.close()
  const closed = new Promise<void>(resolve => http.server.close(() => resolve()))
  http.server.closeIdleConnections()
  const force = setTimeout(() => http.server.closeAllConnections(), 5000)
  await closed
  clearTimeout(force)
  await http.close()
}
