import { connect, type Socket } from 'node:net'
import mqttPacket, { type IConnectPacket, type Packet } from 'mqtt-packet'
import { credentials } from './harness.ts'

/** A client that can also be wrong: bytes out, packets in, nothing by itself. */
export class RawClient {
  readonly received: Packet[] = []
  closed = false
  private waiters: (() => void)[] = []
  private readonly parser: ReturnType<typeof mqttPacket.parser>

  private constructor(
    readonly socket: Socket,
    readonly version: 3 | 4 | 5,
  ) {
    this.parser = mqttPacket.parser({ protocolVersion: version })
    this.parser.on('packet', packet => {
      this.received.push(packet)
      this.wake()
    })
    this.parser.on('error', () => socket.destroy())
    socket.on('data', chunk => this.parser.parse(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.wake()
    })
  }

  static async open(port: number, version: 3 | 4 | 5 = 4): Promise<RawClient> {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve())
      socket.once('error', reject)
    })
    return new RawClient(socket, version)
  }

  /** Connects and signs in as device `num` of the harness; the CONNACK is consumed. */
  static async signedIn(
    port: number,
    num: number,
    version: 4 | 5 = 4,
    connectOptions: Partial<IConnectPacket> = {},
  ): Promise<RawClient> {
    const client = await RawClient.open(port, version)
    client.connect(num, connectOptions)
    const connack = await client.next('connack')
    const code = version === 5 ? connack.reasonCode : connack.returnCode
    if (code !== 0) throw new Error(`not signed in: ${code}`)
    return client
  }

  connect(num: number, options: Partial<IConnectPacket> = {}): void {
    const { username, password } = credentials(num)
    this.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: this.version,
      clean: true,
      clientId: `client-${num}`,
      keepalive: 60,
      username,
      password: Buffer.from(password),
      ...options,
    } as IConnectPacket)
  }

  send(packet: Packet): void {
    this.socket.write(mqttPacket.generate(packet, { protocolVersion: this.version }))
  }

  bytes(hex: string): void {
    this.socket.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
  }

  publish(num: number, suffix: string, payload: string, qos: 0 | 1 | 2, messageId?: number, dup = false): void {
    this.send({
      cmd: 'publish',
      topic: `things/P1/d${num}/${suffix}`,
      payload: Buffer.from(payload),
      qos,
      retain: false,
      dup,
      ...(messageId === undefined ? {} : { messageId }),
    })
  }

  /** The next packet that was not asked for yet; rejects when the connection ends or nothing comes. */
  async next<K extends Packet['cmd']>(cmd?: K, ms = 45_000): Promise<Extract<Packet, { cmd: K }>> {
    await this.until(() => this.received.length > 0 || this.closed, ms)
    const packet = this.received.shift()
    if (!packet) throw new Error(this.closed ? 'connection ended' : `nothing within ${ms} ms`)
    if (cmd && packet.cmd !== cmd) throw new Error(`wanted ${cmd}, got ${JSON.stringify(packet)}`)
    return packet as Extract<Packet, { cmd: K }>
  }

  /** Resolves when the server has ended the connection. */
  async ended(ms = 45_000): Promise<void> {
    await this.until(() => this.closed, ms)
    if (!this.closed) throw new Error(`still connected after ${ms} ms`)
  }

  /** True when the server still answers; everything else it said stays in `received`. */
  async alive(): Promise<boolean> {
    const has = (): boolean => this.received.some(packet => packet.cmd === 'pingresp')
    this.send({ cmd: 'pingreq' })
    await this.until(() => has() || this.closed, 45_000)
    const answered = has()
    const at = this.received.findIndex(packet => packet.cmd === 'pingresp')
    if (at >= 0) this.received.splice(at, 1)
    return answered
  }

  destroy(): void {
    this.socket.destroy()
  }

  private async until(condition: () => boolean, ms: number): Promise<void> {
    const end = Date.now() + ms
    while (!condition()) {
      const left = end - Date.now()
      if (left <= 0) return
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left)
        this.waiters.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  private wake(): void {
    for (const waiter of this.waiters.splice(0)) waiter()
  }
}
