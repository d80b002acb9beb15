import type { Values } from './device.ts'
import type { ChunkAsk, ReceivedChunk } from './firmware/link.ts'

export type Question = 'shadow' | 'ntp' | 'firmware'

/** What a device tells the platform. `payload` is JSON text. */
export type UpMessage =
  | { kind: 'property'; payload: string }
  | { kind: 'event'; identifier: string; payload: string }
  | { kind: 'reply'; command: CommandRequest; payload: string }
  | { kind: 'firmware'; what: 'inform' | 'progress'; payload: string }

/** What the platform asks of a device. */
export interface CommandRequest {
  id: string
  kind: 'property_set' | 'service'
  /** Of the service; empty for a property set. */
  identifier: string
  params: Values
}

export interface ChannelHandlers {
  online(): void
  /** The connection is gone or could not be made; the channel tries again by itself. */
  offline(error: Error): void
  command(request: CommandRequest): void
  /** A notice of firmware. */
  firmware(payload: Values): void
  /** Bytes of firmware that were asked for, or why there are none. */
  chunk(chunk: ReceivedChunk): void
}

/** A way to the platform: one connection that comes and goes. */
export interface Channel {
  readonly online: boolean
  /** Messages that may be under way without their confirmation. */
  readonly window: number
  start(): void
  /**
   * Resolves when the platform has the message for good; rejects with a RefusedError, or with a ConnectionLostError
   * when that is unknown.
   */
  transmit(message: UpMessage): Promise<void>
  /** Asks and waits for the answer's JSON text. Rejects with NotSupportedError where there is no such question. */
  ask(question: Question, payload: string, timeoutMs: number): Promise<string>
  /** Asks for bytes of firmware, which come to the handler, or do not; null where there are none to be had this way. */
  readonly requestChunks: ((ask: ChunkAsk) => void) | null
  /** From now on commands are wanted. */
  wantCommands(): void
  close(): Promise<void>
}
