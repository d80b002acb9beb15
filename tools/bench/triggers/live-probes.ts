import mqtt, { type MqttClient } from 'mqtt'
import { seconds, until } from '../core/bench.ts'
import { Histogram } from '../core/histogram.ts'
import type { Meter, Site } from '../core/site.ts'
import { JsonSocket } from '../core/web-socket.ts'

/** How often the table of alarms is looked at, ms: an alarm row is seen so much later at most. */
const LOOK_MS = 10
const LOST_MS = 10_000

interface Patch {
  triggerId?: string
  active?: boolean
}

/** One device with a trigger of its own, whose alarms are seen in the table and on the live socket. */
interface Probe {
  meter: Meter
  triggerId: string
  client: MqttClient
  /** When the value that raises left; null: nothing is on its way. */
  sentAt: number | null
  rows: number
  isRowSeen: boolean
  isLiveSeen: boolean
  isActive: boolean
}

export interface ProbeFigures {
  row: Histogram
  live: Histogram
  lost: number
}

/** Devices that leak and stop leaking, each watched by one trigger. */
export class LiveProbes {
  readonly row = new Histogram()
  readonly live = new Histogram()
  private lost = 0
  private isLooking = true
  private looking: Promise<void> = Promise.resolve()

  private constructor(
    private readonly site: Site,
    private readonly probes: Probe[],
    private socket: JsonSocket | null,
  ) {}

  static async open(site: Site, meters: readonly Meter[]): Promise<LiveProbes> {
    const probes: Probe[] = []
    for (const meter of meters) {
      const { id } = await site.api.post<{ id: string }>('/triggers', {
        name: `Leak at ${meter.identity.clientId}`,
        scope: { deviceIds: [meter.id] },
        kind: 'on',
        property: 'leakage',
        alarm: { level: 3 },
      })
      const { clientId, username, password } = meter.identity
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${site.installation.mqttPort}`, {
        clientId,
        username,
        password,
      })
      const fresh = { sentAt: null, rows: 0, isRowSeen: false, isLiveSeen: false, isActive: false }
      probes.push({ meter, triggerId: id, client, ...fresh })
    }
    const own = new LiveProbes(site, probes, null)
    const byTrigger = new Map(probes.map(probe => [probe.triggerId, probe]))
    let subscribed = false
    const token = await site.api.signIn()
    const socket = await JsonSocket.open(`${site.installation.url}/api/v1/live`, received => {
      const message = received as { op?: string; topic?: string; patch?: Patch }
      if (message.op === 'ready') socket.send({ op: 'subscribe', topics: ['alarms'] })
      else if (message.op === 'subscribed') subscribed = true
      else if (message.topic === 'alarms' && message.patch) {
        const probe = byTrigger.get(message.patch.triggerId ?? '')
        if (probe) own.onPatch(probe, message.patch)
      }
    })
    own.socket = socket
    socket.send({ op: 'auth', token })
    if (!(await until(() => subscribed, 10_000))) throw new Error('the live socket did not take the topic alarms')
    own.looking = own.look()
    return own
  }

  /** Raises and clears at each device in turn for a time. */
  async run(forSeconds: number, everyMs: number): Promise<ProbeFigures> {
    const end = performance.now() + forSeconds * 1_000
    await Promise.all(
      this.probes.map(async (probe, i) => {
        await seconds((everyMs * i) / this.probes.length / 1_000)
        while (performance.now() < end) {
          const began = performance.now()
          await this.once(probe)
          await seconds(Math.max(0, everyMs - (performance.now() - began)) / 1_000)
        }
      }),
    )
    return { row: this.row, live: this.live, lost: this.lost }
  }

  async close(): Promise<void> {
    this.isLooking = false
    await this.looking
    this.socket?.close()
    await Promise.all(this.probes.map(({ client }) => client.endAsync()))
  }

  private async once(probe: Probe): Promise<void> {
    const say = (leakage: boolean) =>
      probe.client.publishAsync(probe.meter.identity.topic, JSON.stringify({ leakage }), { qos: 1 })
    Object.assign(probe, { sentAt: performance.now(), isRowSeen: false, isLiveSeen: false })
    await say(true)
    if (!(await until(() => probe.isRowSeen && probe.isLiveSeen, LOST_MS, 5))) this.lost++
    probe.sentAt = null
    await say(false)
    await until(() => !probe.isActive, LOST_MS, 5)
  }

  private onPatch(probe: Probe, { active }: Patch): void {
    probe.isActive = active === true
    if (!active || probe.sentAt === null || probe.isLiveSeen) return
    probe.isLiveSeen = true
    this.live.record(performance.now() - probe.sentAt)
  }

  private async look(): Promise<void> {
    const ids = this.probes.map(({ triggerId }) => triggerId)
    while (this.isLooking) {
      const rows = await this.site.sql<{ id: string; n: number }>(
        'select trigger_id as id, count(*)::int as n from alarms where trigger_id = any ($1) group by 1',
        [ids],
      )
      const counts = new Map(rows.map(({ id, n }) => [id, n]))
      for (const probe of this.probes) {
        const n = counts.get(probe.triggerId) ?? 0
        if (n > probe.rows && probe.sentAt !== null && !probe.isRowSeen) {
          probe.isRowSeen = true
          this.row.record(performance.now() - probe.sentAt)
        }
        probe.rows = n
      }
      await seconds(LOOK_MS / 1_000)
    }
  }
}
