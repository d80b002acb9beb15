import type { ChildProcess } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { BEAT_MS, Heartbeat } from '../ingest/channel/heartbeat.ts'
import {
  type FromGateway,
  type GatewayFailure,
  type GatewayMetrics,
  type GatewayPorts,
  type GatewayQuestion,
  type GatewayStart,
  type IpcEnd,
  ipcEnd,
  type PortRequest,
  type ToGateway,
} from '../ingest/channel/ipc.ts'
import { inBackground } from '../lib/background.ts'
import type { Logger } from '../lib/log.ts'
import type { ChangedCommand } from '../lib/news.ts'
import { afterSilence } from '../lib/silence.ts'
import type {
  RegistrationAnswer,
  RegistrationRequest,
  SubDeviceRequest,
} from '../modules/device-identity/registration.port.ts'
import type { GatewayPort } from '../modules/devices/gateway.port.ts'
import type { DiagnosisPort, Probe, Probes, RawFrame } from '../modules/diagnosis/diagnosis.port.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../modules/ota/firmware.port.ts'
import type { SubscriberPort } from '../modules/subscriptions/subscriber.port.ts'
import { forkGateway, type GatewayProgram } from './gateway-program.ts'
import { createGatewayProxy } from './gateway-proxy.ts'
import { createGatewaySubscribers, type SubscriberNews } from './gateway-subscribers.ts'

/** The gateway could not start; a busy port that somebody set ends the whole start (interfaces.md §2). */
export class GatewayStartError extends Error {
  constructor(readonly failure: GatewayFailure) {
    super(
      failure.kind === 'other'
        ? `gateway: ${failure.message}`
        : `${failure.variable}: port ${failure.port} ${failure.kind === 'port_busy' ? 'is in use by another program' : 'may not be used by this user'}`,
    )
  }
}

/** What this process does with what the gateway says and asks; given at its start, when everybody is there. */
export interface GatewayDesk {
  /** One encoded flush of a lane, as the feed's encoder made it. */
  batch(buffer: Buffer): void
  commandsChanged(changed: ChangedCommand[]): void
  /** A device with its product's secret asks for one of its own. Absent: nobody may register. */
  register?(request: RegistrationRequest | SubDeviceRequest): Promise<RegistrationAnswer>
  /** A device asks for its firmware. Absent: there is none. */
  firmware?(asked: FirmwareQuestion): Promise<FirmwareAnswer | null>
  /** Raw frames of watched devices; so many more were too many. */
  frames?(device: number, frames: RawFrame[], missed: number): void
}

export interface GatewayClientOptions {
  start: GatewayStart
  logger: Logger
  /** Address of the device behind a request, proxies taken into account. */
  addressOf?(request: IncomingMessage): string
  /** How often the two processes tell each other that they are alive; for tests. */
  beatMs?: number
  /** File to fork; found beside this one when absent. */
  entry?: string
  /** The process of the first life, when it was begun already. */
  loaded?: GatewayProgram
}

/** The API process's view of the gateway process: its keeper, its port, and the pipe for devices' HTTP. */
export interface GatewayClient extends GatewayPort, DiagnosisPort, SubscriberPort {
  /** @throws GatewayStartError when the first start fails */
  start(desk: GatewayDesk): Promise<GatewayPorts>
  /** Lets the gateway drain, then ends it; after 10 s by force. */
  stop(): Promise<void>
  /** Reads files that were renewed on disk. */
  reload(): void
  ready(): boolean
  /** Whether the process has answered within the last five beats (5 s), a new start included. */
  alive(): boolean
  /** Pid of the running child, for metrics and fault tests. */
  pid(): number | undefined
  /** Counters of the running child, or null while it is down. */
  metrics(): Promise<GatewayMetrics | null>
  /** Pipes a request below /device/ to the gateway. */
  proxyRequest(request: IncomingMessage, response: ServerResponse): void
  /** Pipes a WebSocket upgrade of /mqtt to the gateway. */
  proxyUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

const ANSWER_MS = 3_000
/** What is done in the gateway may wait for this process itself and for the disk. */
const DONE_MS = 12_000
const DEEDS: readonly string[] = ['simulate', 'send', 'platform', 'lora']
const STOP_MS = 10_000
const FIRST_DELAY_MS = 50
/** Beats without an answer after which the gateway counts as hanging … */
const SILENT_BEATS = 5
/** … and after which it is ended, to be started again: nothing acknowledged is lost by that. */
const HANGING_BEATS = 60
const LONGEST_DELAY_MS = 5_000

export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  const { logger } = options
  let child: ChildProcess | null = null
  let ipc: IpcEnd<ToGateway, FromGateway> | null = null
  let ports: GatewayPorts | null = null
  let up = false
  let stopping = false
  let delayMs = FIRST_DELAY_MS
  let restart: NodeJS.Timeout | null = null
  let questions = 0
  let heart: Heartbeat | null = null
  /** This life has answered: one that still loads its program does not hang. */
  let answers = false
  let watched: readonly number[] = []
  let desk: GatewayDesk = { batch: () => undefined, commandsChanged: () => undefined }
  const waiting = new Map<number, (answer: Extract<FromGateway, { type: 'answer' }> | null) => void>()
  const proxy = createGatewayProxy({
    socketPath: options.start.socketPath,
    isUp: () => up,
    addressOf:
      options.addressOf ?? (request => `${request.socket.remoteAddress ?? ''}:${request.socket.remotePort ?? 0}`),
  })

  async function probe<K extends keyof Probes>(
    kind: K,
    question: Probes[K]['ask'],
  ): Promise<Probes[K]['answer'] | null> {
    const within = DEEDS.includes(kind) ? DONE_MS : ANSWER_MS
    return ((await ask({ probe: { probe: kind, ...question } as unknown as Probe }, within))?.probe ?? null) as never
  }

  const subscribers = createGatewaySubscribers(() => (ipc && up ? ipc.send : null))

  /** One life of the child: resolves when it is ready, rejects when it failed before that. */
  function launch(start: GatewayStart): Promise<GatewayPorts> {
    const life = options.loaded?.take() ?? forkGateway(options.entry)
    const end = ipcEnd<ToGateway, FromGateway>(life)
    child = life
    ipc = end
    return new Promise((resolve, reject) => {
      let settled = false
      let failure: GatewayFailure | null = null
      end.onMessage(message => {
        heart?.heard()
        if (message.type === 'ready') {
          settled = true
          up = true
          delayMs = FIRST_DELAY_MS
          ports = message.ports
          // A new life knows nothing of who watches what.
          if (watched.length > 0) end.send({ type: 'watch_frames', devices: watched })
          resolve(message.ports)
          subscribers.began()
        } else if (message.type === 'failed') failure = message.failure
        else if (message.type === 'register') inBackground('registration of a device', register(end, message))
        else if (message.type === 'firmware') inBackground('question of firmware', firmware(end, message))
        else if (message.type === 'beat') answers = true
        else if (isOfSubscribers(message)) subscribers.receive(message)
        else receive(message)
      })
      life.on('error', error => {
        failure ??= { kind: 'other', message: error.message }
        // Never came to life: there will be no exit.
        if (life.pid === undefined) reject(new GatewayStartError(failure))
      })
      life.on('exit', (code, signal) => {
        if (child === life) {
          child = null
          ipc = null
        }
        answers = false
        up = false
        for (const answer of waiting.values()) answer(null)
        waiting.clear()
        subscribers.lost()
        if (!settled)
          return reject(new GatewayStartError(failure ?? { kind: 'other', message: `ended with ${signal ?? code}` }))
        if (!stopping) {
          logger.error({ code, signal }, 'gateway process ended; starting it again')
          again()
        }
      })
      end.send({ type: 'start', options: start })
    })
  }

  /** After a crash: the same ports again, with a growing pause while it does not come up. */
  function again(): void {
    if (stopping || restart) return
    restart = setTimeout(() => {
      restart = null
      inBackground(
        'starting the gateway process again',
        launch(withPorts(options.start, ports)).then(
          () => logger.info('gateway process is up again'),
          (error: Error) => {
            if (stopping) return
            logger.error({ err: error }, 'gateway process did not come up')
            again()
          },
        ),
      )
    }, delayMs)
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
  }

  async function register(
    end: IpcEnd<ToGateway, FromGateway>,
    { id, request }: Extract<FromGateway, { type: 'register' }>,
  ): Promise<void> {
    const refused = Promise.resolve<RegistrationAnswer>({ ok: false, reason: 'registration_off' })
    const answer = await (desk.register?.(request) ?? refused).catch((error: Error) => {
      logger.warn({ err: error }, 'registration of a device failed')
      return { ok: false, reason: 'unavailable' } as const
    })
    end.send({ type: 'registered', id, answer })
  }

  async function firmware(
    end: IpcEnd<ToGateway, FromGateway>,
    { id, asked }: Extract<FromGateway, { type: 'firmware' }>,
  ): Promise<void> {
    const answer = await (desk.firmware?.(asked) ?? Promise.resolve(null)).catch((error: Error) => {
      logger.warn({ err: error }, 'question of firmware failed')
      return null
    })
    end.send({ type: 'firmware_answered', id, answer })
  }

  function receive(
    message: Exclude<FromGateway, { type: 'ready' | 'failed' | 'beat' | 'register' | 'firmware' } | SubscriberNews>,
  ): void {
    switch (message.type) {
      case 'batch':
        desk.batch(Buffer.from(message.buffer.buffer, message.buffer.byteOffset, message.buffer.byteLength))
        break
      case 'commands':
        desk.commandsChanged(message.changed)
        break
      case 'frames':
        desk.frames?.(message.device, message.frames, message.missed)
        break
      case 'answer': {
        const answer = waiting.get(message.id)
        waiting.delete(message.id)
        answer?.(message)
      }
    }
  }

  function ask(
    question: GatewayQuestion,
    withinMs = ANSWER_MS,
  ): Promise<Extract<FromGateway, { type: 'answer' }> | null> {
    const end = ipc
    if (!end || !up) return Promise.resolve(null)
    const id = ++questions
    return new Promise(resolve => {
      const silence = afterSilence(withinMs, () => {
        waiting.delete(id)
        resolve(null)
      })
      waiting.set(id, answer => {
        silence.end()
        resolve(answer)
      })
      end.send({ type: 'ask', id, question })
    })
  }

  function beginBeating(): void {
    heart ??= new Heartbeat({
      everyMs: options.beatMs ?? BEAT_MS,
      beat: () => ipc?.send({ type: 'beat' }),
      silent(beats) {
        if (beats === SILENT_BEATS) logger.error('the gateway process does not answer')
        if (beats % HANGING_BEATS !== 0 || !child || !answers) return
        logger.error('the gateway process hangs; it is ended and started again')
        child.kill('SIGKILL')
      },
      back(beats) {
        if (beats >= SILENT_BEATS) logger.info('the gateway process answers again')
      },
    })
  }

  return {
    async start(given) {
      desk = given
      const taken = await launch(options.start)
      beginBeating()
      return taken
    },
    async stop() {
      stopping = true
      heart?.stop()
      if (restart) clearTimeout(restart)
      const life = child
      if (life && life.exitCode === null && life.signalCode === null) {
        const gone = new Promise<void>(resolve => life.once('exit', () => resolve()))
        ipc?.send({ type: 'stop' })
        const force = setTimeout(() => {
          logger.error('gateway process did not stop in time; ended by force')
          life.kill('SIGKILL')
        }, STOP_MS)
        await gone
        clearTimeout(force)
      }
      proxy.close()
    },
    ready: () => up,
    alive: () => heart !== null && heart.beatsSilent < SILENT_BEATS,
    pid: () => child?.pid,
    linkPorts: async () => (await ask({ linkPorts: true }))?.linkPorts ?? null,
    metrics: async () => (await ask({ metrics: true }))?.metrics ?? null,
    wake: devices => ipc?.send({ type: 'wake', devices }),
    forget: what => ipc?.send({ type: 'forget', ...what }),
    kick: device => ipc?.send({ type: 'kick', device }),
    reload: () => ipc?.send({ type: 'reload' }),
    session: async device => (await ask({ session: device }))?.session ?? null,
    probe,
    lora: (device, act) => probe('lora', { ...device, act }),
    watchFrames(devices) {
      watched = devices
      ipc?.send({ type: 'watch_frames', devices })
    },
    deliver: subscribers.deliver,
    kickSubscriber: subscribers.kickSubscriber,
    onSubscriberReady: subscribers.onSubscriberReady,
    proxyRequest: proxy.request,
    proxyUpgrade: proxy.upgrade,
  }
}

function isOfSubscribers(message: FromGateway): message is SubscriberNews {
  return message.type.startsWith('subscriber_')
}

/** Once bound, the ports are kept: devices and the banner know them. */
function withPorts(start: GatewayStart, bound: GatewayPorts | null): GatewayStart {
  if (!bound) return start
  return {
    ...start,
    mqtt: kept(start.mqtt, bound.mqtt),
    mqtts: kept(start.mqtts, bound.mqtts),
    tcp: kept(start.tcp, bound.tcp),
    udp: kept(start.udp, bound.udp),
    coap: kept(start.coap, bound.coap),
  }
}

function kept(asked: PortRequest, port: number | null): PortRequest {
  return port === null ? asked : { ...asked, port, explicit: true }
}
