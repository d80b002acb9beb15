import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { loadSecretKey, openDataDir } from '../db/data-dir.ts'
import { prepareDatabase } from '../db/prepare.ts'
import type { Config } from '../lib/config.ts'
import { openDatabase } from '../lib/database.ts'
import { createLogger } from '../lib/log.ts'
import { createLiveHub, createLiveSocket } from '../modules/live/index.ts'
import { addressesOf, urlOf } from './addresses.ts'
import { banner } from './banner.ts'
import { consoleFiles, consoleFolder } from './console-files.ts'
import { createContainer } from './container.ts'
import { createDemo } from './demo.ts'
import { DEMO_PHONE, ensureFirstLogins } from './first-logins.ts'
import { createGatewayClient } from './gateway-client.ts'
import { healthRoutes } from './health.ts'
import { createHttp } from './http.ts'
import { createLiveFeed } from './live-feed.ts'
import { createLiveSnapshots } from './live-snapshots.ts'
import { createLiveSource } from './live-source.ts'
import { listenOn } from './ports.ts'
import { createStop } from './stop.ts'
import { createUpgrades } from './upgrades.ts'
import { createWorker } from './worker.ts'

export const VERSION = '0.1.0'

export interface RunningServer {
  banner: string
  /** Takes what has arrived, commits it, closes everything in order. */
  stop(): Promise<void>
}

/**
 * Starts the whole server. What was started is ended again when a later part fails.
 * @throws StartError, PortError or GatewayStartError with one printable line
 */
export async function startServer(config: Config): Promise<RunningServer> {
  const began = performance.now()
  const logger = createLogger({ level: config.logLevel, format: config.logFormat }, 'thingwright')
  const stop = createStop((name, error) => logger.error({ err: error }, `stopping ${name} failed`))
  try {
    const dataDir = await openDataDir(config.dataDir)
    stop.add('data folder', () => dataDir.release())
    const secretKey = config.secretKey ?? loadSecretKey(dataDir.path)
    const prepared = await prepareDatabase({
      dataDir: dataDir.path,
      databaseUrl: config.databaseUrl,
      secretKey,
      logger: logger.child({ part: 'database' }),
    })
    stop.add('database', () => prepared.stop())
    prepared.embedded?.onEvent(event => {
      if (event.type !== 'gave_up') return
      logger.fatal('the database does not come up again; ending')
      void stop.run().then(() => process.exit(1))
    })
    const database = openDatabase(prepared.access, error => logger.warn({ err: error }, 'database connection lost'))
    stop.add('database pools', () => database.close())
    const logins = await ensureFirstLogins(database, config)

    const hub = createLiveHub()
    let ports = { http: 0, mqtt: 0, mqtts: null as number | null }
    const gateway = createGatewayClient({
      start: {
        database: prepared.access.telemetry,
        node: 'local',
        host: config.host,
        mqtt: config.mqtt,
        mqtts: config.mqtts,
        tls: config.tls,
        keysDir: join(dataDir.path, 'keys'),
        dataDir: dataDir.path,
        socketPath: join(
          prepared.embedded?.address.socketDir ?? dataDir.path,
          `gateway-${randomUUID().slice(0, 8)}.sock`,
        ),
        log: { level: config.logLevel, format: config.logFormat },
      },
      logger: logger.child({ part: 'gateway' }),
      onBatch: buffer => worker.feed(buffer),
      onCommandsChanged: changed => live.commandsChanged(changed),
    })
    const container = createContainer({
      database,
      gateway,
      secretKey,
      logger,
      addresses: () => addressesOf(config, ports),
      onCommandsChanged: changed => live.commandsChanged(changed),
      demo: config.demo,
      secureCookie: config.publicUrl?.startsWith('https:') ?? false,
    })
    const sockets = createLiveSocket({
      hub,
      logger: logger.child({ part: 'live' }),
      authenticate: token => container.identity.authenticate(token),
      source: createLiveSource(database, createLiveSnapshots(container)),
      now: () => Date.now(),
    })
    const live = createLiveFeed({ hub, sockets, container, database, logger })
    const worker = createWorker({ database, live, logger: logger.child({ part: 'worker' }) })

    const upgrades = createUpgrades({ live: sockets, gateway, publicUrl: config.publicUrl })
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
      authenticate: token => container.identity.authenticate(token),
      idempotency: container.idempotency,
      proxyDevice: (request, response) => gateway.proxyRequest(request, response),
      upgrade: upgrades.handle,
      async plain(app) {
        healthRoutes(app, {
          checks: {
            database: async () => ((await database.telemetry.query('select 1')).rowCount === 1 ? true : 'no answer'),
            gateway: async () => gateway.ready() || 'not running',
            consumers: async () => worker.ready() || 'catching up',
          },
          gauges: async () => ({
            ...((await gateway.metrics()) ?? {}),
            ...(await worker.gauges()),
            live_connections: sockets.connections(),
            live_topics: hub.size(),
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

    await worker.start()
    stop.add('consumers', () => worker.stop())
    const devicePorts = await gateway.start()
    stop.add('gateway', () => gateway.stop())
    const httpPort = await listenOn(http.server, config.host, config.http)
    stop.add('http', () => closeHttp(http, sockets))
    ports = { http: httpPort, ...devicePorts }

    const url = urlOf(config, httpPort)
    dataDir.writeRunInfo({
      startedAt: new Date().toISOString(),
      urls: { http: url },
      ports: { http: httpPort, mqtt: devicePorts.mqtt, ...(devicePorts.mqtts ? { mqtts: devicePorts.mqtts } : {}) },
    })
    if (config.demo) {
      await demo.start({ mqttPort: devicePorts.mqtt, fresh: logins.fresh })
      stop.add('demo', () => demo.stop())
    }
    void container.devices.lifecycle
      .purgePending()
      .catch((error: Error) => logger.warn({ err: error }, 'clearing deleted devices'))

    const moved = [
      { setting: config.http, port: httpPort },
      { setting: config.mqtt, port: devicePorts.mqtt },
      ...(devicePorts.mqtts ? [{ setting: config.mqtts, port: devicePorts.mqtts }] : []),
    ].filter(({ setting, port }) => setting.port !== 0 && setting.port !== port)
    return {
      banner: banner({
        version: VERSION,
        httpUrl: url,
        mqtt: `${config.host}:${devicePorts.mqtt}`,
        mqtts: devicePorts.mqtts ? `${config.host}:${devicePorts.mqtts}` : null,
        database: `PostgreSQL ${prepared.version}, ${prepared.kind}${prepared.timescale ? `, TimescaleDB ${prepared.timescale}` : ''}`,
        dataDir: dataDir.path,
        tookMs: performance.now() - began,
        newLogins: logins.made,
        demo: config.demo,
        moved: moved.map(
          ({ setting, port }) => `${setting.variable}: ${setting.port} was in use, so ${port} was taken`,
        ),
      }),
      stop: () => stop.run(),
    }
  } catch (error) {
    await stop.run()
    throw error
  }
}

/** No new requests; those under way get 5 s. */
async function closeHttp(http: Awaited<ReturnType<typeof createHttp>>, sockets: { close(): void }): Promise<void> {
  sockets.close()
  const closed = new Promise<void>(resolve => http.server.close(() => resolve()))
  http.server.closeIdleConnections()
  const force = setTimeout(() => http.server.closeAllConnections(), 5000)
  await closed
  clearTimeout(force)
  await http.close()
}
