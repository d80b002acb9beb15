import { get } from 'node:http'
import { connect } from 'node:net'
import { Api } from '../core/api.ts'
import { MeterDevice, type MeterIdentity } from '../generator/meter-device.ts'

/** Milliseconds from the start of the process until somebody outside could … */
export interface StartTimes {
  /** … load the sign-in page. */
  pageMs: number
  /** … open a connection to the MQTT port. */
  mqttMs: number
  /** … have a message acknowledged, that is stored; on a fresh folder a product and a device are made before. */
  storedMs: number
  /** … read "ready". */
  readyMs: number
}

/** A device of an earlier life of the installation; null: one is to be made. */
export type KnownDevice = MeterIdentity | null

const GIVE_UP_MS = 120_000
const PAUSE_MS = 10

/** Watches a server that was started at `began` from outside, with nothing but its own ports. */
export async function watchStart(
  { url, mqttPort, username }: { url: string; mqttPort: number; username: string },
  began: number,
  device: KnownDevice,
): Promise<{ times: StartTimes; device: MeterIdentity }> {
  const when = (what: string, attempt: () => Promise<boolean>) => firstTime(began, what, attempt)
  const page = when('the sign-in page', async () => (await body(`${url}/index`)).includes('id="root"'))
  const mqtt = when('the MQTT port', () => accepts(mqttPort))
  const ready = when('readiness', async () => (await body(`${url}/readyz`)) !== '')
  const stored = (async () => {
    await mqtt
    let identity = device
    if (!identity) {
      await page
      identity = await makeDevice(url, username)
    }
    const storedMs = await when('the first stored message', () => publishOnce(identity, mqttPort))
    return { storedMs, identity }
  })()
  const [pageMs, mqttMs, readyMs, { storedMs, identity }] = await Promise.all([page, mqtt, ready, stored])
  return { times: { pageMs, mqttMs, storedMs, readyMs }, device: identity }
}

/** Tries until it works. @returns ms since `began` */
export async function firstTime(began: number, what: string, attempt: () => Promise<boolean>): Promise<number> {
  const since = () => Math.round(performance.now() - began)
  while (since() < GIVE_UP_MS) {
    if (await attempt().catch(() => false)) return since()
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error(`${what} did not come within ${GIVE_UP_MS / 1000} s`)
}

async function makeDevice(url: string, username: string): Promise<MeterIdentity> {
  const api = new Api(url)
  await api.signIn(username)
  const product = await api.post<{ id: string; productKey: string }>('/products', {
    name: 'Cold start',
    linkType: 'mqtt',
    thingModel: {
      properties: ['pulseCounter', 'batteryLevel']
        .map(identifier => ({ identifier, name: identifier, dataType: { type: 'int32' }, access: 'r' }))
        .concat([{ identifier: 'leakage', name: 'leakage', dataType: { type: 'bool' }, access: 'r' }]),
    },
  })
  const device = await api.post<{ deviceNo: string; deviceSecret: string }>('/devices', {
    productId: product.id,
    name: 'Cold start',
  })
  api.close()
  return {
    clientId: device.deviceNo,
    username: `${product.productKey}/${device.deviceNo}`,
    password: device.deviceSecret,
    topic: `things/${product.productKey}/${device.deviceNo}/property/post`,
  }
}

/** Connects and is let in. @throws when it is not */
export async function signIn(identity: MeterIdentity, port: number): Promise<boolean> {
  const device = new MeterDevice(identity, 1, { acked: () => undefined, unexpected: () => undefined })
  try {
    await device.open(port, '127.0.0.1')
    return true
  } finally {
    device.close()
  }
}

/** Connects, sends one message and waits for its acknowledgement. */
export async function publishOnce(identity: MeterIdentity, port: number): Promise<boolean> {
  let acked: (value: boolean) => void = () => {}
  const answer = new Promise<boolean>(resolve => {
    acked = resolve
  })
  const device = new MeterDevice(identity, 1, { acked: () => acked(true), unexpected: () => acked(false) })
  try {
    await device.open(port, '127.0.0.1')
    device.send(performance.now(), Date.now())
    return await answer
  } finally {
    device.close()
  }
}

/** Text of a page with status 200; empty for any other. */
export function body(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, reply => {
      let text = ''
      reply.setEncoding('utf8')
      reply.on('data', (chunk: string) => {
        text += chunk
      })
      reply.on('end', () => resolve(reply.statusCode === 200 ? text : ''))
      reply.on('error', reject)
    }).on('error', reject)
  })
}

/** Whether somebody listens. */
export function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
