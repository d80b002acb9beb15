/** The platform has the message and will not take it: unknown property, wrong type, too large … Sending it again is useless. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  /** MQTT 5.0 reason code or HTTP status. */
  readonly status: number
  /** `device_path.refused` and the like; empty where the transport carries none. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The credentials were not accepted. */
export class SignInRefusedError extends Error {
  override readonly name = 'SignInRefusedError'
  /** CONNACK code or HTTP status. */
  readonly status: number

  constructor(status: number) {
    super(`sign-in refused (${status})`)
    this.status = status
  }
}

/** The buffer for times without a connection was full; this message, the oldest, gave way. */
export class BufferFullError extends Error {
  override readonly name = 'BufferFullError'
  constructor() {
    super('dropped: the offline buffer is full')
  }
}

/** The device was closed before the platform confirmed the message. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError'
  constructor() {
    super('the device is closed')
  }
}

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** The transport has no way to do this. */
export class NotSupportedError extends Error {
  override readonly name = 'NotSupportedError'
}

/** The connection went before the answer: the message stays in the buffer and is sent again. Never seen by callers. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'
}

/** Thrown by a handler to refuse a command: the platform shows code and message, the command ends as `rejected`. */
export class CommandRefusal extends Error {
  override readonly name = 'CommandRefusal'
  readonly code: number

  /** @param code anything but 0 */
  constructor(code: number, message: string) {
    super(message)
    this.code = code === 0 ? 1 : code
  }
}
