import type { FastifyInstance } from 'fastify'
import type { PreparedDatabase } from '../db/prepare.ts'
import { backgroundFailures } from '../lib/background.ts'
import type { Config } from '../lib/config.ts'
import type { Database } from '../lib/database/database.ts'
import type { Logger } from '../lib/log.ts'
import { originsOfTiles } from '../lib/map-tiles.ts'
import { runOn, sql } from '../lib/sql/statement.ts'
import type { LiveHub, LiveSocketServer } from '../modules/live/index.ts'
import { consoleFiles, consoleFolder } from './console-files.ts'
import type { Container } from './container.ts'
import { DEMO_PHONE } from './first-logins.ts'
import type { GatewayClient } from './gateway-client.ts'
import { healthRoutes } from './health.ts'
import { storageChecks } from './health-storage.ts'
import { createHttp } from './http.ts'
import { gaugesOf } from './run-modules.ts'
import { streamRights } from './stream-rights.ts'
import type { SubscriptionTargets } from './subscription-targets.ts'
import { createUpgrades } from './upgrades.ts'
import { VERSION } from './version.ts'
import type { Worker } from './worker.ts'

export interface ServeOptions {
  config: Config
  container: Container
  database: Database
  prepared: Pick<PreparedDatabase, 'embedded'>
  gateway: GatewayClient
  worker: Worker
  hub: LiveHub
  sockets: LiveSocketServer
  streams: SubscriptionTargets['streams']
  logger: Logger
}

const DATABASE = sql`select 1`

/** Everything under the HTTP port: API, live socket, streams, console, health; `/device` and `/mqtt` go to the gateway. */
export function createServing(options: ServeOptions): Promise<FastifyInstance> {
  const { config, container, database, prepared, gateway, worker, hub, sockets, streams } = options
  const upgrades = createUpgrades({
    live: sockets,
    streams,
    authorise: streamRights(container),
    gateway,
    publicUrl: config.publicUrl,
  })
  return createHttp({
    routes: container.routes,
    logger: options.logger,
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
          ...(await gaugesOf(container.modules)),
          ...backgroundFailures(),
          live_connections: sockets.connections(),
          live_topics: hub.size(),
          stream_connections: streams.connections(),
        }),
        metricsToken: config.metricsToken,
      })
      await consoleFiles(
        app,
        consoleFolder(),
        () => ({
          devFlag: config.devFlag,
          demo: config.demo,
          version: VERSION,
          ...(config.demo ? { demoSignIn: { username: 'demo', phone: DEMO_PHONE } } : {}),
        }),
        container.cloudPages.visits.hostsOf,
        container.modules.find(module => module.portalOf)?.portalOf,
        config.mapTiles ? originsOfTiles(config.mapTiles) : [],
      )
    },
  })
}

/** No new requests; those under way get 5 s. */
export async function closeHttp(http: FastifyInstance, sockets: readonly { close(): void }[]): Promise<void> {
  for (const socket of sockets) socket.close()
  const closed = new Promise<void>(resolve => http.server.close(() => resolve()))
  http.server.closeIdleConnections()
  const force = setTimeout(() => http.server.closeAllConnections(), 5000)
  await closed
  clearTimeout(force)
  await http.close()
}
