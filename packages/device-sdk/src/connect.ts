import { Device } from './device.ts'
import { SignInRefusedError, TimeoutError } from './errors.ts'
import { HttpChannel } from './http-channel.ts'
import { MqttChannel } from './mqtt-channel.ts'

export interface DeviceOptions {
  /**
   * Where the platform is: `mqtt://host:1883`, `mqtts://host:8883`, `ws://host:8080/mqtt`, `wss://host/mqtt`, or
   * `http://host:8080`, `https://host` for HTTP.
   */
  url: string
  productKey: string
  deviceNo: string
  deviceSecret: string
  /** MQTT: 5 (default) also tells when a message is refused; 4 is MQTT 3.1.1. */
  protocolVersion?: 4 | 5
  /** MQTT keep-alive; 60 s by default. */
  keepAliveSeconds?: number
  /** TLS: the certificate authority to trust (the platform's own certificate when it is self-signed). */
  tls?: { ca?: string | Buffer; rejectUnauthorized?: boolean }
  /** What may wait while there is no connection: 1,000 messages and 1 MB by default. The oldest gives way. */
  buffer?: { messages?: number; bytes?: number }
  /** How long {@link connectDevice} waits for the first connection; 30 s by default. */
  timeoutMs?: number
  /** HTTP: how long one question for commands may be held; 50 s by default. */
  pollSeconds?: number
  /** Source of jitter, for tests. */
  random?: () => number
}

/**
 * A device that connects in the background, for ever, with growing jittered pauses. Posts can begin at once, handlers of
 * commands are named at once.
 */
export function createDevice(options: DeviceOptions): Device {
  return deviceOf(options, null)
}

function deviceOf(options: DeviceOptions, ready: Promise<void> | null): Device {
  const { url, productKey, deviceNo, deviceSecret, tls, random = Math.random } = options
  const base = { url, productKey, deviceNo, deviceSecret, random }
  const buffer = { messages: options.buffer?.messages ?? 1_000, bytes: options.buffer?.bytes ?? 1_048_576 }
  const { protocol } = new URL(url)
  switch (protocol) {
    case 'http:':
    case 'https:': {
      const { pollSeconds = 50 } = options
      return new Device(handlers => new HttpChannel({ ...base, pollSeconds }, handlers), buffer, productKey, ready)
    }
    case 'mqtt:':
    case 'mqtts:':
    case 'ws:':
    case 'wss:': {
      const { protocolVersion = 5, keepAliveSeconds = 60 } = options
      const mqtt = { ...base, protocolVersion, keepAliveSeconds, ...(tls === undefined ? {} : { tls }) }
      return new Device(handlers => new MqttChannel(mqtt, handlers), buffer, productKey, ready)
    }
    default:
      throw new TypeError(`no transport for ${protocol}`)
  }
}

/**
 * Connects a device and waits until it is signed in. Commands that wait for it come with the sign-in: name their handlers
 * before you await anything else.
 * @throws SignInRefusedError when the credentials are not accepted, TimeoutError when the platform does not answer
 */
export async function connectDevice(options: DeviceOptions): Promise<Device> {
  let handlersNamed = () => {}
  const ready = new Promise<void>(resolve => {
    handlersNamed = resolve
  })
  const device = deviceOf(options, ready)
  let timer: NodeJS.Timeout | undefined
  let leave = () => {}
  try {
    await new Promise<void>((resolve, reject) => {
      let last = ''
      timer = setTimeout(() => reject(new TimeoutError(`not connected in time${last}`)), options.timeoutMs ?? 30_000)
      leave = device.onState((state, error) => {
        if (state === 'online') resolve()
        else if (error instanceof SignInRefusedError) reject(error)
        else if (error) last = `: ${error.message}`
      })
    })
    setImmediate(handlersNamed)
    return device
  } catch (error) {
    await device.close()
    throw error
  } finally {
    clearTimeout(timer)
    leave()
  }
}
