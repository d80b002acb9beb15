import type { FastifyInstance } from 'fastify'
import { TEST_SECRET_KEY, type TestDatabase, temporaryFolder } from '../../db/testing.ts'
import { silentLogger } from '../../lib/log.ts'
import type { GatewayPort } from '../../modules/devices/gateway.port.ts'
import type { DiagnosisPort, Probes } from '../../modules/diagnosis/diagnosis.port.ts'
import { type Container, createContainer } from '../container.ts'
import type { ContainerOptions } from '../container-options.ts'
import { createHttp } from '../http.ts'
import type { HttpOptions } from '../http-request.ts'

/** A gateway that nobody listens to. */
export const NO_GATEWAY: GatewayPort = { wake: () => {}, forget: () => {}, kick: () => {}, session: async () => null }

/** What a gateway says that knows no device. */
const EMPTY: { [K in keyof Probes]: Probes[K]['answer'] } = {
  frames: [],
  refusals: [],
  send: 'offline',
  platform: { outcome: 'unavailable', reason: 'overloaded' },
  lora: { outcome: 'unavailable', reason: 'overloaded' },
  simulate: { outcome: 'unavailable', reason: 'overloaded' },
  state: {
    session: null,
    laneTakes: true,
    laneQueued: 0,
    diskFree: null,
    certificateUntil: null,
    lastUpAt: null,
    lastDownAt: null,
    frames: 0,
    unheard: [],
    polling: null,
    refusals: [],
  },
}
const NO_PROBES: DiagnosisPort = { probe: async probe => EMPTY[probe], watchFrames: () => {} }

/** Where a test's installation says that it is. */
export const ADDRESSES: ReturnType<ContainerOptions['addresses']> = {
  host: 'localhost',
  mqttPort: 1883,
  mqttsPort: null,
  tcpPort: null,
  udpPort: null,
  coapPort: null,
  wsUrl: 'ws://localhost/mqtt',
  httpUrl: 'http://localhost',
}

/** The whole application on a test's database, without listeners and without a device path. */
export function testContainer(db: TestDatabase, over: Partial<ContainerOptions> = {}): Container {
  return createContainer({
    database: db.database,
    gateway: NO_GATEWAY,
    probes: NO_PROBES,
    secretKey: TEST_SECRET_KEY,
    logger: silentLogger,
    addresses: () => ADDRESSES,
    demo: false,
    secureCookie: false,
    mail: null,
    objectStore: null,
    uploadsDir: temporaryFolder('tw-uploads-').path,
    ...over,
  })
}

/** How the application is served in tests; requests are injected. */
export function testHttpOptions(container: Container, over: Partial<HttpOptions> = {}): HttpOptions {
  return {
    routes: container.routes,
    logger: silentLogger,
    trustProxy: 0,
    publicUrl: null,
    version: 'test',
    // Where a program calls from matters; sessions of people are held against it in tests of their own.
    authenticate: (token, { ip }) =>
      container.identity.authenticate(token, token.startsWith('eyJ') ? undefined : { ip }),
    programs: container.developer.programs,
    asRole: (ctx, roleId) => container.roles.service.asRole(ctx, roleId),
    idempotency: container.idempotency,
    proxyDevice: (_request, response) => response.end(),
    upgrade: (_request, socket) => socket.destroy(),
    plain: () => {},
    ...over,
  }
}

export function testHttp(container: Container, over: Partial<HttpOptions> = {}): Promise<FastifyInstance> {
  return createHttp(testHttpOptions(container, over))
}
