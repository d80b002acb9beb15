import { inBackground } from '../../lib/background.ts'
import type {
  RegistrationAnswer,
  RegistrationRequest,
  SubDeviceRequest,
} from '../../modules/device-identity/registration.port.ts'
import type { LinkPortState, SessionInfo } from '../../modules/devices/gateway.port.ts'
import type { Probe, RawFrame } from '../../modules/diagnosis/diagnosis.port.ts'
import type { FirmwareAnswer, FirmwareQuestion } from '../../modules/ota/firmware.port.ts'
import type { SubscriberAnswer } from '../../modules/subscriptions/subscriber.port.ts'
import { BEAT_MS, Heartbeat } from '../channel/heartbeat.ts'
import {
  type FromGateway,
  type GatewayFailure,
  type GatewayPorts,
  type GatewayStart,
  type IpcEnd,
  ipcEnd,
  type ToGateway,
} from '../channel/ipc.ts'
import type { Gateway } from '../gateway/options.ts'
import type { Transport } from '../transport.port.ts'
import type { SubscriberSessions } from '../transports/mqtt/subscriber-host.ts'
import { PortFailure } from './port-failure.ts'
import { Questions } from './questions.ts'

/** A gateway that runs, as its process sees it. */
export interface RunningGateway
  extends Pick<Gateway<Transport>, 'wake' | 'forget' | 'kick' | 'metrics' | 'probe' | 'watchFrames' | 'flushFlow'> {
  ports: GatewayPorts
  /** Ports that belong to products. */
  linkPorts(): LinkPortState[]
  session(device: number): SessionInfo | null
  /** Clients of subscriptions. */
  subscribers: SubscriberSessions
  /** Reads files that were renewed on disk. */
  reload(): void
  /** Takes nothing more and stores what was taken. */
  stop(): Promise<void>
}

export interface Outlet {
  /** One encoded flush for the consumers; dropped while they are too slow, and then read by them from the journal. */
  batch(buffer: Buffer): void
  commands: (changed: Extract<FromGateway, { type: 'commands' }>['changed']) => void
  /** Asks the process that makes devices; null when it did not answer in time. */
  register?(request: RegistrationRequest | SubDeviceRequest): Promise<RegistrationAnswer | null>
  /** Asks the process that has the object store; null when it did not answer in time. */
  firmware?(asked: FirmwareQuestion): Promise<FirmwareAnswer | null>
  /** A client of this subscription can take messages. */
  subscriberReady?(subscriptionId: string): void
  /** Raw frames of a watched device; dropped while nobody reads them. */
  frames(device: number, frames: RawFrame[], missed: number): void
}

function toStandardError(text: string): void {
  process.stderr.write(`gateway: ${text}\n`)
}

/** So many beats without a word, and the main process is said to hang. */
const PARENT_SILENT_BEATS = 5

/** Longest drain: after it the process ends, and what was not stored was not acknowledged. */
const DRAIN_MS = 8_000

/**
 * Ties a gateway to its parent process: starts when told how, answers, drains and exits on `stop` or when the parent is
 * gone. Ctrl-C goes to the whole group of processes and is the parent's business.
 */
export function runGatewayProcess(
  start: (options: GatewayStart, outlet: Outlet) => Promise<RunningGateway>,
  channel: NodeJS.Process = process,
  { beatMs = BEAT_MS, say = toStandardError } = {},
): void {
  const ipc: IpcEnd<FromGateway, ToGateway> = ipcEnd(channel)
  let running: RunningGateway | null = null
  let ending = false
  /** Begins with the parent's first beat. Its silence costs devices nothing: what they send is stored here. */
  let parent: Heartbeat | null = null
  // Devices are let in a little before the start is over: what they are known by may change in that moment already.
  const early: ToGateway[] = []
  const registrations = new Questions<RegistrationRequest | SubDeviceRequest, RegistrationAnswer>((id, request) =>
    ipc.send({ type: 'register', id, request }),
  )
  const firmware = new Questions<FirmwareQuestion, FirmwareAnswer>((id, asked) =>
    ipc.send({ type: 'firmware', id, asked }),
  )
  const outlet: Outlet = {
    batch: buffer => void ipc.offer({ type: 'batch', buffer }, buffer.length),
    commands: changed => ipc.send({ type: 'commands', changed }),
    register: request => registrations.ask(request),
    firmware: asked => firmware.ask(asked),
    subscriberReady: subscriptionId => ipc.send({ type: 'subscriber_ready', subscriptionId }),
    frames: (device, frames, missed) =>
      void ipc.offer(
        { type: 'frames', device, frames, missed },
        frames.reduce((sum, frame) => sum + frame.bytes.length + 128, 0),
      ),
  }

  let silences = 0
  function listen(): void {
    parent ??= new Heartbeat({
      everyMs: beatMs,
      silent(beats) {
        if (beats !== PARENT_SILENT_BEATS) return
        silences++
        say('the main process does not answer; devices are served on, without the API, firmware and registration')
      },
      back(beats) {
        if (beats >= PARENT_SILENT_BEATS) say('the main process answers again')
      },
    })
    parent.heard()
  }

  async function end(): Promise<void> {
    if (ending) return
    ending = true
    setTimeout(() => channel.exit(1), DRAIN_MS).unref()
    await running?.stop().catch(() => undefined)
    channel.exit(0)
  }

  async function begin(options: GatewayStart): Promise<void> {
    try {
      running = await start(options, outlet)
      ipc.send({ type: 'ready', ports: running.ports })
      for (const message of early.splice(0)) take(message)
      if (ending) await running.stop()
    } catch (error) {
      ipc.send({ type: 'failed', failure: failureOf(error) })
      // The message leaves before the process does.
      setTimeout(() => channel.exit(1), 50)
    }
  }

  async function probe(id: number, question: Probe): Promise<void> {
    const answer = await running?.probe(question).catch(() => undefined)
    ipc.send({ type: 'answer', id, probe: answer })
  }

  function deliver({ id, subscriptionId, flow, messages }: Extract<ToGateway, { type: 'subscriber_deliver' }>): void {
    const answer = (answer: SubscriberAnswer) => ipc.send({ type: 'subscriber_answer', id, answer })
    if (running) running.subscribers.deliver(subscriptionId, flow, messages, answer)
    else answer({ kind: 'away' })
  }

  /** What a gateway is told that is not asked for an answer. */
  const isNews = ({ type }: ToGateway) =>
    type === 'wake' || type === 'forget' || type === 'kick' || type === 'subscriber_kick' || type === 'watch_frames'

  function take(message: ToGateway): void {
    switch (message.type) {
      case 'beat':
        listen()
        ipc.send({ type: 'beat' })
        break
      case 'start':
        inBackground('starting the gateway', begin(message.options))
        break
      case 'stop':
        inBackground('ending the gateway', end())
        break
      case 'wake':
        running?.wake(message.devices)
        break
      case 'forget':
        running?.forget(message)
        break
      case 'kick':
        running?.kick(message.device)
        break
      case 'reload':
        running?.reload()
        break
      case 'registered':
        registrations.answered(message.id, message.answer)
        break
      case 'firmware_answered':
        firmware.answered(message.id, message.answer)
        break
      case 'subscriber_deliver':
        deliver(message)
        break
      case 'subscriber_kick':
        running?.subscribers.kick(message.subscriptionId)
        break
      case 'watch_frames':
        running?.watchFrames(message.devices)
        break
      case 'ask':
        if ('probe' in message.question)
          inBackground('answering a question to the gateway', probe(message.id, message.question.probe))
        else if ('linkPorts' in message.question)
          ipc.send({ type: 'answer', id: message.id, linkPorts: running?.linkPorts() ?? [] })
        else if ('metrics' in message.question)
          ipc.send({
            type: 'answer',
            id: message.id,
            metrics: { ...running?.metrics(), gateway_parent_silences: silences },
          })
        else ipc.send({ type: 'answer', id: message.id, session: running?.session(message.question.session) ?? null })
    }
  }

  ipc.onMessage(message => {
    if (running === null && isNews(message)) early.push(message)
    else take(message)
  })
  ipc.onGone(() => inBackground('ending the gateway', end()))
  channel.on('SIGINT', () => undefined)
  channel.on('SIGTERM', () => undefined)
  channel.on('SIGHUP', () => running?.reload())
}

function failureOf(error: unknown): GatewayFailure {
  if (error instanceof PortFailure) return error.failure
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) }
}
