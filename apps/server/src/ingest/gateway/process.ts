import type { SessionInfo } from '../../lib/gateway-port.ts'
import {
  type FromGateway,
  type GatewayFailure,
  type GatewayPorts,
  type GatewayStart,
  type IpcEnd,
  ipcEnd,
  type ToGateway,
} from '../../lib/ipc.ts'
import type { Gateway } from '../gateway.ts'
import type { Transport } from '../transports/transport.ts'
import { PortFailure } from './port-failure.ts'

/** A gateway that runs, as its process sees it. */
export interface RunningGateway extends Pick<Gateway<Transport>, 'wake' | 'forget' | 'kick' | 'metrics'> {
  ports: GatewayPorts
  session(device: number): SessionInfo | null
  /** Takes nothing more and stores what was taken. */
  stop(): Promise<void>
}

export interface Outlet {
  /** One encoded flush for the consumers; dropped while they are too slow, and then read by them from the journal. */
  batch(buffer: Buffer): void
  commands: (changed: Extract<FromGateway, { type: 'commands' }>['changed']) => void
}

/** Longest drain: after it the process ends, and what was not stored was not acknowledged. */
const DRAIN_MS = 8_000

/**
 * Ties a gateway to its parent process: starts when told how, answers, drains and exits on `stop` or when the parent is
 * gone. Ctrl-C goes to the whole group of processes and is the parent's business.
 */
export function runGatewayProcess(
  start: (options: GatewayStart, outlet: Outlet) => Promise<RunningGateway>,
  channel: NodeJS.Process = process,
): void {
  const ipc: IpcEnd<FromGateway, ToGateway> = ipcEnd(channel)
  let running: RunningGateway | null = null
  let ending = false
  const outlet: Outlet = {
    batch: buffer => void ipc.offer({ type: 'batch', buffer }, buffer.length),
    commands: changed => ipc.send({ type: 'commands', changed }),
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
      if (ending) await running.stop()
    } catch (error) {
      ipc.send({ type: 'failed', failure: failureOf(error) })
      // The message leaves before the process does.
      setTimeout(() => channel.exit(1), 50)
    }
  }

  ipc.onMessage(message => {
    switch (message.type) {
      case 'start':
        void begin(message.options)
        break
      case 'stop':
        void end()
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
      case 'ask':
        if ('metrics' in message.question)
          ipc.send({ type: 'answer', id: message.id, metrics: running?.metrics() ?? {} })
        else ipc.send({ type: 'answer', id: message.id, session: running?.session(message.question.session) ?? null })
    }
  })
  ipc.onGone(() => void end())
  channel.on('SIGINT', () => undefined)
  channel.on('SIGTERM', () => undefined)
}

function failureOf(error: unknown): GatewayFailure {
  if (error instanceof PortFailure) return error.failure
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) }
}
