import type { LnsError } from './lns.port.ts'

/** The broker that a network server publishes its devices' events to. */
export interface FeedAccess {
  host: string
  port: number
  tls: boolean
  username: string
  password: string
  /** Before `application/…` in its topics. */
  prefix: string
  /** Under which the broker keeps what was missed: the same after every start. */
  clientId: string
}

export interface FeedEvents {
  connected(): void
  /** It is tried again by itself. */
  failed(error: LnsError): void
  /**
   * An event, its payload read into the JSON of the HTTP integration. The broker is told that it arrived when this ends.
   * @param devEui of the topic, in small letters
   */
  event(devEui: string, name: string, body: unknown): Promise<void>
  /** A message that is no event of ChirpStack 4. */
  unreadable(topic: string, reason: string): void
}

export interface Feed {
  /** Ends when what was begun is stored, or is given back to the broker. */
  close(): Promise<void>
}

/** Listens to a broker until it is closed. */
export type FeedFactory = (access: FeedAccess, simulated: boolean, events: FeedEvents) => Feed
