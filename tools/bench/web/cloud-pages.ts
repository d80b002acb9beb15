import mqtt, { type MqttClient } from 'mqtt'
import { atMost, type BenchReport, type Size, seconds } from '../core/bench.ts'
import { consoleEntry, inBrowser, SLOW } from '../core/browser.ts'
import { cpuBetween, readCpu } from '../core/meter.ts'
import type { Site } from '../core/site.ts'
import { JsonSocket } from '../core/web-socket.ts'
import { aliveScene, type BenchScene, drawnScene } from './scenes.ts'

/** What the program in e2e/bench prints; only the wire is shared with it. */
interface ShownFigures {
  page: string
  kilobytes: number
  shownMs: number
}
interface FrameFigures {
  frames: number
  p99Ms: number
  longestMs: number
  above50: number
}
interface AliveFigures extends FrameFigures {
  /** Messages with values that came while frames were counted. */
  patches: number
}
interface EditorFigures extends FrameFigures {
  openMs: number
  chosen: number
}
interface Figures {
  browser: string
  shown: ShownFigures[]
  alive: AliveFigures
  editor: EditorFigures[]
}

interface Plan {
  loads: number
  aliveSeconds: number
  opens: number
  visitors: number
  visitorSeconds: number
}

const PLANS: Record<Size, Plan> = {
  S: { loads: 3, aliveSeconds: 10, opens: 2, visitors: 1_000, visitorSeconds: 10 },
  M: { loads: 7, aliveSeconds: 30, opens: 5, visitors: 1_000, visitorSeconds: 30 },
}
const DEVICES = 40
const PROPERTIES = Array.from({ length: 25 }, (_, i) => `p${i + 1}`)
const ALIVE = { name: 'alive page', suffix: 'bench-alive', nodes: 300, points: 1_000 }
const ORDINARY = { name: 'ordinary page', suffix: 'bench-ordinary', nodes: 60, points: 100 }
const DRAWN_NODES = 2_000
const DRAGGED = 200
const HERTZ = 5

export type CloudPagesPart = Pick<BenchReport, 'tables' | 'goals' | 'notes' | 'data'>

/** Cloud pages: an editor with a large drawing, a published page that is alive, and a thousand who look at one page. */
export async function cloudPages(site: Site, size: Size, say: (line: string) => void): Promise<CloudPagesPart> {
  const plan = PLANS[size]
  const reporters = await reportersOf(site)
  try {
    const devices = reporters.map(({ id, productId }) => ({ id, productId }))
    await published(site, ALIVE, aliveScene(ALIVE.nodes, ALIVE.points, devices, PROPERTIES))
    await published(site, ORDINARY, aliveScene(ORDINARY.nodes, ORDINARY.points, devices.slice(0, 4), PROPERTIES))
    const drawing = await site.api.post<{ id: string }>('/pages', {
      name: 'Large drawing',
      suffix: 'bench-drawing',
      scene: drawnScene(DRAWN_NODES),
    })
    const stop = report(reporters)
    try {
      const figures = await inBrowser<Figures>('cloud-page-figures.ts', {
        url: site.installation.url,
        userToken: await consoleEntry(site.installation.url),
        shown: [ORDINARY, ALIVE].map(({ name, suffix, nodes }) => ({ name, suffix, nodes })),
        loads: plan.loads,
        cpuSlowdown: SLOW.cpuSlowdown,
        alive: { suffix: ALIVE.suffix, nodes: ALIVE.nodes, seconds: plan.aliveSeconds },
        editor: { id: drawing.id, nodes: DRAWN_NODES, dragged: DRAGGED, opens: plan.opens },
      })
      const visitors = []
      for (const page of [ORDINARY, ALIVE]) visitors.push(await watchedBy(site, page, plan, say))
      return partOf(figures, visitors)
    } finally {
      await stop()
    }
  } finally {
    await Promise.all(reporters.map(({ client }) => client.endAsync(true)))
  }
}

interface Reporter {
  id: string
  productId: string
  topic: string
  client: MqttClient
}

async function reportersOf(site: Site): Promise<Reporter[]> {
  const product = await site.api.post<{ id: string; productKey: string }>('/products', {
    name: 'Cloud page bench',
    linkType: 'mqtt',
    thingModel: {
      properties: PROPERTIES.map(identifier => ({
        identifier,
        name: identifier,
        dataType: { type: 'double' },
        access: 'r',
      })),
    },
  })
  const reporters: Reporter[] = []
  for (let i = 0; i < DEVICES; i++) {
    const made = await site.api.post<{ id: string; deviceNo: string; deviceSecret: string }>('/devices', {
      name: `Cloud page device ${i}`,
      productId: product.id,
    })
    const username = `${product.productKey}/${made.deviceNo}`
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${site.installation.mqttPort}`, {
      clientId: made.deviceNo,
      username,
      password: made.deviceSecret,
    })
    reporters.push({ id: made.id, productId: product.id, topic: `things/${username}/property/post`, client })
  }
  return reporters
}

/** Every device reports all its values five times a second. @returns how to end it */
function report(reporters: readonly Reporter[]): () => Promise<void> {
  const timers = reporters.map(({ client, topic }) =>
    setInterval(() => {
      const values = Object.fromEntries(PROPERTIES.map(name => [name, Math.round(Math.random() * 1_000) / 10]))
      client.publish(topic, JSON.stringify(values), { qos: 0 })
    }, 1_000 / HERTZ),
  )
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await seconds(0.5)
  }
}

async function published(site: Site, { name, suffix }: { name: string; suffix: string }, scene: BenchScene) {
  const { id, version } = await site.api.post<{ id: string; version: number }>('/pages', { name, suffix, scene })
  await site.api.patch(`/pages/${id}`, { version, visibility: 'public' })
  await site.api.post(`/pages/${id}/publish`, {})
}

interface Watched {
  page: string
  points: number
  visitors: number
  cores: number
  /** CPUs busy without a visitor. */
  coresBefore: number
  messages: number
  megabytes: number
}

/** So many visitors with the live socket of one page: what the server needs for them. */
async function watchedBy(
  site: Site,
  { name, suffix, points }: typeof ALIVE,
  { visitors, visitorSeconds }: Plan,
  say: (line: string) => void,
): Promise<Watched> {
  const pid = site.installation.pid
  const quiet = readCpu(pid)
  await seconds(visitorSeconds / 2)
  const coresBefore = cpuBetween(quiet, readCpu(pid), 1).cores
  let [messages, bytes] = [0, 0]
  const { ticket } = await site.api.get<{ ticket: string }>(`/public/pages/${suffix}`)
  const sockets: JsonSocket[] = []
  try {
    for (let i = 0; i < visitors; i++) {
      const socket = await JsonSocket.openUnread(`${site.installation.url}/api/v1/live`, text => {
        messages++
        bytes += text.length
      })
      socket.send({ op: 'auth', token: ticket })
      sockets.push(socket)
    }
    await seconds(3)
    ;[messages, bytes] = [0, 0]
    const before = readCpu(pid)
    await seconds(visitorSeconds)
    const { cores, parts } = cpuBetween(before, readCpu(pid), 1)
    say(`  ${visitors} visitors of the ${name}: ${cores} CPUs (${coresBefore} without them) ${JSON.stringify(parts)}`)
    return {
      page: name,
      points,
      visitors: sockets.length,
      cores,
      coresBefore,
      messages: Math.round((messages / sockets.length / visitorSeconds) * 10) / 10,
      megabytes: Math.round(bytes / visitorSeconds / 1e5) / 10,
    }
  } finally {
    for (const socket of sockets) socket.close()
  }
}

function partOf({ shown, alive, editor }: Figures, visitors: Watched[]): CloudPagesPart {
  const of = (name: string) => shown.filter(({ page }) => page === name)
  const openMs = median(editor.map(each => each.openMs))
  const longestDrag = Math.max(...editor.map(each => each.longestMs))
  return {
    tables: [
      {
        title: `Cloud pages opened by a visitor, no cache, CPU ${SLOW.cpuSlowdown}x slower, the line of this machine`,
        head: ['page', 'elements', 'points', 'n', 'KB until shown', 'shown ms, median', 'longest'],
        rows: [ORDINARY, ALIVE].map(({ name, nodes, points }) => {
          const times = of(name).map(({ shownMs }) => shownMs)
          return [
            name,
            nodes,
            points,
            times.length,
            median(of(name).map(({ kilobytes }) => kilobytes)),
            median(times),
            Math.max(...times),
          ]
        }),
      },
      {
        title: `A published page of ${ALIVE.nodes} elements, ${ALIVE.points} values that change ${HERTZ} times a second`,
        head: ['messages with values', 'frames', 'p99 ms', 'longest ms', 'above 50 ms'],
        rows: [[alive.patches, alive.frames, alive.p99Ms, alive.longestMs, alive.above50]],
      },
      {
        title: `The editor with ${DRAWN_NODES} elements: opened at its own address, ${DRAGGED} of them dragged`,
        head: ['n', 'open ms, median', 'frames', 'p99 ms, longest', 'longest ms', 'above 50 ms'],
        rows: [
          [
            editor.length,
            openMs,
            editor.reduce((sum, each) => sum + each.frames, 0),
            Math.max(...editor.map(each => each.p99Ms)),
            longestDrag,
            editor.reduce((sum, each) => sum + each.above50, 0),
          ],
        ],
      },
      {
        title: `Visitors of one page, its values changing ${HERTZ} times a second`,
        head: ['page', 'points', 'visitors', 'CPUs', 'without visitors', 'messages a second each', 'MB/s in all'],
        rows: visitors.map(v => [v.page, v.points, v.visitors, v.cores, v.coresBefore, v.messages, v.megabytes]),
      },
    ],
    goals: [
      atMost('published page, transferred until shown', median(of(ORDINARY.name).map(f => f.kilobytes)), 110, 'KB'),
      atMost('published page shown', median(of(ORDINARY.name).map(f => f.shownMs)), 1_000, 'ms'),
      atMost('longest frame of an alive page', alive.longestMs, 50, 'ms'),
      atMost('editor with 2,000 elements opened', openMs, 1_500, 'ms'),
      atMost('longest frame while 200 elements are dragged', longestDrag, 50, 'ms'),
      ...visitors.map(v => atMost(`1,000 visitors of the ${v.page}`, v.cores, 1, 'CPUs')),
    ],
    notes: [
      'Editor and alive page are measured on this machine as it is; server, database, devices and browser share its CPUs.',
      'CPUs of visitors: the whole server, what it needs to store the values included.',
    ],
    data: { shown, alive, editor, visitors },
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!
}
