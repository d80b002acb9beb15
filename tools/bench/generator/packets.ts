/** SmartMeter message of ThingsBoard's performance tests: 87 bytes, three values. */
export const SMART_METER_BYTES = 87
const PAYLOAD = '{"ts":0000000000000,"values":{"pulseCounter":000000,"leakage":false,"batteryLevel":00}}'
const TS_AT = PAYLOAD.indexOf('0000000000000')
const COUNTER_AT = PAYLOAD.indexOf('000000,"leakage')
const BATTERY_AT = PAYLOAD.indexOf('00}}')

/** MQTT 3.1.1, clean session, user name and password where given. */
export function connectPacket(clientId: string, username: string, password: string, keepAliveSeconds: number): Buffer {
  const flags = username ? 0xc2 : 0x02
  const fixed = Buffer.from([4, flags, keepAliveSeconds >> 8, keepAliveSeconds & 0xff])
  const parts = [text('MQTT'), fixed, text(clientId), ...(username ? [text(username), text(password)] : [])]
  return packet(0x10, Buffer.concat(parts))
}

/** One publish of one topic, prebuilt: sending is copying it and writing a few digits. */
export class SmartMeterPublish {
  private readonly template: Buffer
  private readonly idAt: number
  private readonly payloadAt: number

  constructor(
    topic: string,
    private readonly qos: 0 | 1,
  ) {
    const head = qos === 0 ? text(topic) : Buffer.concat([text(topic), Buffer.from([0, 0])])
    this.template = packet(0x30 | (qos << 1), Buffer.concat([head, Buffer.from(PAYLOAD)]))
    this.payloadAt = this.template.length - PAYLOAD.length
    this.idAt = this.payloadAt - 2
  }

  /** @param counter 0 to 999,999: tells messages of a device apart */
  bytes(packetId: number, tsMs: number, counter: number): Buffer {
    const { template, idAt, payloadAt } = this
    const buffer = Buffer.allocUnsafe(template.length)
    buffer.set(template)
    if (this.qos === 1) {
      buffer[idAt] = packetId >> 8
      buffer[idAt + 1] = packetId & 0xff
    }
    digits(buffer, payloadAt + TS_AT, 13, tsMs)
    // JSON knows no leading zeros, so the counter is never below 100,000.
    digits(buffer, payloadAt + COUNTER_AT, 6, 100_000 + (counter % 900_000))
    digits(buffer, payloadAt + BATTERY_AT, 2, 50 + (counter % 50))
    return buffer
  }
}

/** The value of `pulseCounter` that a message with this counter carries. */
export function pulseCounterOf(counter: number): number {
  return 100_000 + (counter % 900_000)
}

/** A publish at QoS 1 with any payload. */
export function publishPacket(topic: string, packetId: number, payload: string | Buffer): Buffer {
  return packet(0x32, Buffer.concat([text(topic), Buffer.from([packetId >> 8, packetId & 0xff]), Buffer.from(payload)]))
}

function digits(buffer: Buffer, at: number, count: number, value: number): void {
  for (let i = at + count - 1, rest = value; i >= at; i--) {
    const next = Math.floor(rest / 10)
    buffer[i] = 48 + (rest - next * 10)
    rest = next
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

function packet(first: number, body: Buffer): Buffer {
  const length: number[] = []
  let rest = body.length
  do {
    const digit = rest % 128
    rest = Math.floor(rest / 128)
    length.push(rest > 0 ? digit | 0x80 : digit)
  } while (rest > 0)
  return Buffer.concat([Buffer.from([first, ...length]), body])
}
