import mqtt, { type MqttClient } from 'mqtt'
import { type NatsServer, startNatsServer } from '../../simulators/nats/nats-server.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../simulators/webhook/webhook-receiver.ts'
import { serveParent } from '../core/child-process.ts'
import { Histogram } from '../core/histogram.ts'
import { type FromSinks, type Manner, SINKS, type SinkFigures, type SinkName, type ToSinks } from './messages.ts'

interface Item {
  id: string
  ts: number
  deviceNo: string
}

/** What one receiver has seen. */
class Tally {
  private readonly seen = new Set<string>()
  private readonly last = new Map<string, number>()
  private lag = new Histogram()
  private fresh = 0
  private repeated = 0
  private outOfOrder = 0
  readonly faults: string[] = []

  take({ id, ts, deviceNo }: Item, now: number): void {
    if (this.seen.has(id)) {
      this.repeated++
      return
    }
    this.seen.add(id)
    this.fresh++
    this.lag.record(Math.max(0, now - ts))
    if (ts < (this.last.get(deviceNo) ?? 0)) this.outOfOrder++
    this.last.set(deviceNo, ts)
  }

  read(): SinkFigures {
    const { lag, fresh } = this
    this.lag = new Histogram()
    this.fresh = 0
    return {
      items: this.seen.size,
      repeated: this.repeated,
      fresh,
      lag: lag.data(),
      outOfOrder: this.outOfOrder,
      faults: this.faults.slice(0, 5),
    }
  }
}

/** How often what the simulators hold is looked at; a lag is too long by so much at most. */
const DRAIN_MS = 5

const tallies = Object.fromEntries(SINKS.map(name => [name, new Tally()])) as Record<SinkName, Tally>
let webhook: WebhookReceiver
let nats: NatsServer
let client: MqttClient | null = null

function drain(): void {
  const now = Date.now()
  for (const item of webhook.items.splice(0)) tallies.webhook.take(item, now)
  for (const { payload } of nats.messages.splice(0)) tallies.nats.take(JSON.parse(payload) as Item, now)
  tallies.webhook.faults.push(...webhook.faults.splice(0))
  tallies.nats.faults.push(...nats.faults.splice(0))
}

async function signIn(port: number, username: string, password: string): Promise<void> {
  client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username, password, clientId: 'bench-sink' })
  client.handleMessage = (packet, done) => {
    const { payload } = packet as unknown as { payload: Buffer }
    tallies.mqtt.take(JSON.parse(String(payload)) as Item, Date.now())
    done()
  }
  await client.subscribeAsync(`subscriptions/${username.slice('sub/'.length)}/#`, { qos: 1 })
}

const MANNERS: Record<Manner, Parameters<WebhookReceiver['behave']>[0]> = {
  take: { kind: 'take' },
  hang: { kind: 'hang' },
  refuse: { kind: 'status', status: 500 },
}

serveParent<ToSinks, FromSinks>(async message => {
  switch (message.type) {
    case 'open':
      webhook = await startWebhookReceiver({ secret: message.secret })
      nats = await startNatsServer()
      setInterval(drain, DRAIN_MS)
      return { type: 'opened', webhookUrl: webhook.url, natsUrl: `nats://127.0.0.1:${nats.port}` }
    case 'sign-in':
      await signIn(message.port, message.username, message.password)
      return { type: 'done' }
    case 'behave':
      webhook.behave(MANNERS[message.manner])
      return { type: 'done' }
    case 'read': {
      drain()
      const { user, system } = process.cpuUsage()
      const figures = SINKS.map(name => [name, tallies[name].read()])
      return {
        type: 'figures',
        sinks: Object.fromEntries(figures) as Record<SinkName, SinkFigures>,
        cpuSeconds: (user + system) / 1e6,
      }
    }
  }
})
