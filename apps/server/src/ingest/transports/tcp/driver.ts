import type { DeliveryResult, DisconnectReason, DownlinkMessage } from '../../transport.port.ts'

/** What a driver may do with its connection. */
export interface Line {
  /** Writes bytes and shows them in the device's raw view; false: the socket takes no more now. */
  write(bytes: Buffer, note?: string): boolean
  /** Reads the socket no further, or again: what came has to be worked on first. */
  hold(on: boolean): void
  /** Ends the connection. */
  end(reason: DisconnectReason): void
}

/** Speaks with one signed-in device over its connection: frames of its own, or Modbus questions. */
export interface Driver {
  /** Bytes came. They are the driver's during the call only. */
  push(chunk: Buffer): void
  deliver(message: DownlinkMessage, delivered: () => void): DeliveryResult
  /** The connection is over. */
  close(): void
}
