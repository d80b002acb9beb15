import { Installation, PASSWORD } from '../lib/installation.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../simulators/webhook/webhook-receiver.ts'
import { CountingDevice } from './counting-device.ts'

export interface WebhookKillReport {
  /** Messages that devices were told are durable. */
  acknowledged: number
  /** Of them, those that never reached the receiver. */
  lost: number
  /** Items taken when everything was killed, and again under the same id afterwards. */
  atKill: number
  repeated: number
  /** Items that came before an earlier one of their device, repetitions left out. */
  outOfOrder: number
  /** What the receiver found wrong: signatures, nonces, other content under an id that it knew. */
  faults: string[]
  /** Ids that one message had; more than one is a new id after a restart. */
  idsPerMessage: number
  backMs: number
  /** As the subscription says at the end. */
  backlog: number
  deadLetters: number
}

const SECRET = 'the-secret-of-the-receiver'

/**
 * A receiver that is down while devices report, then comes back slowly; kill -9 of every process in the middle of the
 * backlog; start again. Then every message has arrived at least once, under one id, in the order of its device.
 */
export async function webhookKill(options: {
  messages: number
  devices: number
  killAt: number
  /** What starts the server, in place of the built one. */
  command?: string[]
}): Promise<WebhookKillReport> {
  const installation = await Installation.create({
    env: { OUTBOUND_ALLOW: '127.0.0.0/8' },
    ...(options.command ? { command: options.command } : {}),
  })
  const receiver = await startWebhookReceiver({ secret: SECRET })
  const counting: CountingDevice[] = []
  try {
    await installation.start()
    const devices = await installation.devices(options.devices)
    const { id } = await call<{ id: string }>(installation, 'POST', '/subscriptions', {
      name: 'Backlog',
      kinds: ['property'],
      target: { kind: 'webhook', url: receiver.url, secret: SECRET },
      batching: { maxItems: 20 },
    })
    receiver.behave({ kind: 'status', status: 503 })
    counting.push(...devices.map(device => new CountingDevice(device, 1, installation.mqttPort, 5)))
    await until(() => acknowledged(counting) >= options.messages)
    // Each message once: what a device sends again after a cut would be another message with the same number.
    await Promise.all(counting.map(device => device.settle()))
    // It takes no more until everything is killed: however late that is, it is in the middle.
    receiver.behave({ kind: 'slow', ms: 5, most: options.killAt })
    await call(installation, 'POST', `/subscriptions/${id}/resume`)
    await until(() => receiver.items.length >= options.killAt)
    const atKill = receiver.items.length
    const began = performance.now()
    installation.kill('everything')
    await installation.exited()
    await installation.start()
    const backMs = Math.round(performance.now() - began)
    receiver.behave({ kind: 'take' })
    const subscription = () =>
      call<{ backlog: number; deadLetters: number }>(installation, 'GET', `/subscriptions/${id}`)
    await until(async () => missing(counting, receiver) === 0 && (await subscription()).backlog === 0)
    const { backlog, deadLetters } = await subscription()
    return {
      acknowledged: acknowledged(counting),
      lost: missing(counting, receiver),
      atKill,
      repeated: receiver.duplicates,
      outOfOrder: receiver.outOfOrder(item => Number(item.data.n)).length,
      faults: [...receiver.faults],
      idsPerMessage: idsPerMessage(receiver),
      backMs,
      backlog,
      deadLetters,
    }
  } finally {
    await Promise.all(counting.map(device => device.close()))
    installation.kill('everything')
    await installation.exited()
    await receiver.close()
    installation.remove()
  }
}

const acknowledged = (devices: readonly CountingDevice[]) =>
  devices.reduce((sum, device) => sum + device.acknowledged.size, 0)

function missing(devices: readonly CountingDevice[], receiver: WebhookReceiver): number {
  const here = new Set(receiver.items.map(item => `${item.deviceNo} ${item.data.n}`))
  return devices.reduce(
    (sum, { device, acknowledged: numbers }) =>
      sum + [...numbers].filter(n => !here.has(`${device.deviceNo} ${n}`)).length,
    0,
  )
}

function idsPerMessage(receiver: WebhookReceiver): number {
  const ids = new Map<string, Set<string>>()
  for (const { id, deviceNo, data } of receiver.items) {
    const message = `${deviceNo} ${data.n}`
    ids.set(message, (ids.get(message) ?? new Set()).add(id))
  }
  return Math.max(0, ...[...ids.values()].map(of => of.size))
}

let token: { url: string; text: string } | null = null

async function call<T>(installation: Installation, method: string, path: string, body?: unknown): Promise<T> {
  if (token?.url !== installation.url) {
    const reply = await fetch(`${installation.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
    })
    token = { url: installation.url, text: ((await reply.json()) as { access_token: string }).access_token }
  }
  const response = await fetch(`${installation.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('it did not come to that within three minutes')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
