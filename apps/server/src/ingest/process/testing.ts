import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt from 'mqtt'
import type pg from 'pg'
import type { ChangedCommand } from '../../lib/news.ts'
import type { RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import type { GatewayStart } from '../channel/ipc.ts'
import type { Outlet, RunningGateway } from './process.ts'
import { startGateway } from './start.ts'

/** A device as the fixtures make it. */
interface TestDevice {
  deviceNo: string
  secret: string
  product: { productKey: string }
}

interface TestDatabase {
  access: { telemetry: pg.PoolConfig }
}

/** What a gateway on the test's database needs to start; every port is chosen by the system. */
export function gatewayStart(db: TestDatabase): GatewayStart & { remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const anyPort = (variable: string) => ({ variable, port: 0, explicit: true })
  return {
    database: db.access.telemetry,
    node: 'test',
    host: '127.0.0.1',
    mqtt: anyPort('MQTT_PORT'),
    mqtts: anyPort('MQTTS_PORT'),
    tcp: anyPort('TCP_PORT'),
    udp: anyPort('UDP_PORT'),
    coap: anyPort('COAP_PORT'),
    tcpRange: { from: 0, to: 0 },
    tls: null,
    keysDir: join(folder, 'keys'),
    dataDir: folder,
    socketPath: join(folder, 'g.sock'),
    log: { level: 'silent', format: 'json' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export interface TestGateway extends RunningGateway {
  start: GatewayStart
  /** Batches for the consumers and commands for live subscribers, as they came. */
  batches: Buffer[]
  changed: ChangedCommand[]
  /** Frames of watched devices: device, frames, how many were missed. */
  framed: [number, RawFrame[], number][]
}

/** The whole device path in the test's own process. */
export async function testGateway(
  db: TestDatabase,
  {
    register,
    firmware,
    deviceSecretKey = null,
    ...tuning
  }: {
    graceMs?: number
    holdWrong?: (ms: number) => Promise<void>
    register?: Outlet['register']
    firmware?: Outlet['firmware']
    deviceSecretKey?: string | null
  } = {},
): Promise<TestGateway> {
  const start = { ...gatewayStart(db), deviceSecretKey }
  const batches: Buffer[] = []
  const changed: ChangedCommand[] = []
  const framed: TestGateway['framed'] = []
  const running = await startGateway(
    start,
    {
      batch: buffer => void batches.push(buffer),
      commands: rows => void changed.push(...rows),
      frames: (...frame) => void framed.push(frame),
      ...(register ? { register } : {}),
      ...(firmware ? { firmware } : {}),
    },
    // Whether the disk of this machine is nearly full is nobody's business here.
    { freeDiskRatio: async () => 1, ...tuning },
  )
  return {
    ...running,
    start,
    batches,
    changed,
    framed,
    async stop() {
      await running.stop()
      start.remove()
    },
  }
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Record<string, unknown>
}

/** Sends a request and reads what comes back, whose body is JSON or empty. */
function answerOf(call: ClientRequest, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    call.on('error', reject)
    call.on('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
        })
      })
    })
    call.end(body)
  })
}

/** One request of a device. @param to the gateway's socket file, or host and port of a front door */
export function deviceRequest(
  to: { socketPath: string } | { host: string; port: number },
  device: TestDevice,
  path: string,
  options: {
    method?: string
    body?: string | Buffer
    headers?: Record<string, string>
    secret?: string
    agent?: Agent
  } = {},
): Promise<Answer> {
  const call = request({
    ...to,
    agent: options.agent ?? new Agent(),
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    path: `/device/v1/${device.product.productKey}/${device.deviceNo}/${path}`,
    headers: {
      authorization: `Bearer ${options.secret ?? device.secret}`,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
  })
  return answerOf(call, options.body)
}

/** One request to any path, without credentials in its head. */
export function plainRequest(
  to: { socketPath: string } | { host: string; port: number },
  method: string,
  path: string,
  body?: string | Buffer,
): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return answerOf(request({ ...to, agent: new Agent(), method, path, headers }), body)
}

/** A device's MQTT connection. Rejects when the gateway refuses it. */
export function mqttDevice(
  port: number,
  device: TestDevice,
  options: mqtt.IClientOptions = {},
): Promise<mqtt.MqttClient> {
  return mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: `${device.product.productKey}/${device.deviceNo}`,
    password: device.secret,
    clientId: `test-${device.deviceNo}`,
    reconnectPeriod: 0,
    connectTimeout: 60_000,
    ...options,
  })
}

export const topicOf = (device: Omit<TestDevice, 'secret'>, suffix: string): string =>
  `things/${device.product.productKey}/${device.deviceNo}/${suffix}`
