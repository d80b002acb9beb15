import { connect as connectTcp, type Socket } from 'node:net'
import mqtt, { type MqttClient } from 'mqtt'

/** A line of a session: what goes to the module, the data after its prompt, or what the module says. */
export type AtLine = { kind: 'command' | 'data' | 'says'; text: string }

/** The sessions of a document: blocks of code whose language is `text NAME`. */
export function sessionsIn(markdown: string): Map<string, AtLine[]> {
  const found = new Map<string, AtLine[]>()
  for (const [, name, body] of markdown.matchAll(/```text ([\w-]+)\n([\s\S]*?)```/g))
    found.set(
      name!,
      body!
        .trim()
        .split('\n')
        .map(line => {
          if (line.startsWith('AT')) return { kind: 'command', text: line }
          if (line.startsWith('> ')) return { kind: 'data', text: line.slice(2).replaceAll('<CR><LF>', '\r\n') }
          return { kind: 'says', text: line }
        }),
    )
  return found
}

/** Values of a command: quoted ones without their quotes, numbers as text. */
function values(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|([^,]+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

/**
 * The part of a module that a session uses: it keeps what it is configured with, connects for real, and takes data only
 * in the length that was announced. Throws on a command it does not know and on a wrong length.
 */
export class AtModem {
  client: MqttClient | null = null
  socket: Socket | null = null
  /** Messages of the platform, in the words of ESP-AT. */
  readonly received: string[] = []
  private settings: { clientId?: string; username?: string; password?: string } = {}
  private topic = ''
  private payload = ''
  private wants: { length: number; take: (data: string) => Promise<void> } | null = null

  constructor(private readonly ports: { mqtt: number; tcp: number }) {}

  async play(line: AtLine): Promise<void> {
    if (line.kind === 'data') return this.data(line.text)
    if (line.kind === 'says') return
    if (this.wants) throw new Error(`data was due before ${line.text}`)
    const [, name, rest = ''] = /^AT\+(\w+)=?(.*)$/.exec(line.text) ?? []
    const args = values(rest)
    switch (name) {
      case 'CWMODE':
      case 'CWJAP':
      case 'CMQTTSTART':
      case 'QMTCFG':
      case 'QMTOPEN':
        return
      case 'MQTTUSERCFG':
        this.settings = { clientId: args[2]!, username: args[3]!, password: args[4]! }
        return
      case 'CMQTTACCQ':
        this.settings.clientId = args[1]!
        return
      case 'MQTTCONN':
        return this.connect(this.settings)
      case 'CMQTTCONNECT':
        return this.connect({ ...this.settings, username: args[4]!, password: args[5]! })
      case 'QMTCONN':
        return this.connect({ clientId: args[1]!, username: args[2]!, password: args[3]! })
      case 'MQTTSUB':
        return this.subscribe(args[1]!, Number(args[2]))
      case 'QMTSUB':
        return this.subscribe(args[2]!, Number(args[3]))
      case 'CMQTTSUB':
        return this.want(args[1]!, topic => this.subscribe(topic, Number(args[2])))
      case 'MQTTPUBRAW':
        return this.want(args[2]!, data => this.publish(args[1]!, data, Number(args[3])))
      case 'QMTPUBEX':
        return this.want(args[5]!, data => this.publish(args[4]!, data, Number(args[2])))
      case 'CMQTTTOPIC':
        return this.want(args[1]!, async topic => {
          this.topic = topic
        })
      case 'CMQTTPAYLOAD':
        return this.want(args[1]!, async payload => {
          this.payload = payload
        })
      case 'CMQTTPUB':
        return this.publish(this.topic, this.payload, Number(args[1]))
      case 'CIPSTART':
        this.socket = connectTcp(this.ports.tcp, '127.0.0.1')
        return
      case 'CIPSEND':
        return this.want(args[0]!, async data => void this.socket!.write(data))
      default:
        throw new Error(`the modem does not know ${line.text}`)
    }
  }

  close(): void {
    this.client?.end(true)
    this.socket?.destroy()
  }

  private async data(text: string): Promise<void> {
    const wants = this.wants
    if (!wants) throw new Error(`nobody asked for ${text}`)
    if (wants.length !== Buffer.byteLength(text))
      throw new Error(`${wants.length} bytes were announced, ${Buffer.byteLength(text)} came: ${text}`)
    this.wants = null
    await wants.take(text)
  }

  private want(length: string, take: (data: string) => Promise<void>): void {
    this.wants = { length: Number(length), take }
  }

  private async connect(settings: object): Promise<void> {
    this.client = await mqtt.connectAsync(`mqtt://127.0.0.1:${this.ports.mqtt}`, {
      ...settings,
      protocolVersion: 4,
      reconnectPeriod: 0,
    })
    this.client.on('message', (topic, payload) =>
      this.received.push(`+MQTTSUBRECV:0,"${topic}",${payload.length},${payload}`),
    )
  }

  private async subscribe(topic: string, qos: number): Promise<void> {
    const [granted] = await this.client!.subscribeAsync(topic, { qos: qos as 0 | 1 | 2 })
    if (granted?.qos !== qos) throw new Error(`${topic} was not granted`)
  }

  private async publish(topic: string, data: string, qos: number): Promise<void> {
    await this.client!.publishAsync(topic, data, { qos: qos as 0 | 1 | 2 })
  }
}
