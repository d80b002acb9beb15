import { type FirmwareLife, FirmwareUnit } from '../simulators/device-fleet/firmware/unit.ts'
import { MqttLink } from '../simulators/device-fleet/mqtt-link.ts'

const TICK_MS = 25

export interface UnitAccount {
  deviceNo: string
  productKey: string
  secret: string
}

/** Many simulated devices that do nothing but have firmware: one timer, one connection each. */
export class OtaUnits {
  readonly units = new Map<string, FirmwareUnit>()
  readonly #links = new Map<string, MqttLink>()
  readonly #timer: NodeJS.Timeout

  constructor(mqttPort: number, accounts: readonly UnitAccount[], lifeOf: (index: number) => FirmwareLife) {
    for (const [i, { deviceNo, productKey, secret }] of accounts.entries()) {
      const prefix = `things/${productKey}/${deviceNo}/`
      const unit = new FirmwareUnit(productKey, lifeOf(i), {
        post: (suffix, payload, acknowledged) => link.publish(prefix + suffix, payload, acknowledged),
        reset: downMs => link.cut(downMs),
        bricked: () => {
          link.stop().catch(() => undefined)
        },
      })
      const link: MqttLink = new MqttLink(
        {
          host: '127.0.0.1',
          port: mqttPort,
          username: `${productKey}/${deviceNo}`,
          password: secret,
          clientId: deviceNo,
          protocolVersion: i % 2 === 0 ? 5 : 4,
          keepAliveSeconds: 60,
          filter: `${prefix}#`,
          // Short pauses: the test waits for the last one.
          random: () => (i % 20) / 1_000,
          now: Date.now,
        },
        {
          ready: () => {
            unit.online().catch(() => undefined)
          },
          message: (topic, payload) => unit.receive(topic.slice(prefix.length), payload),
          refused: () => {},
        },
        // Not all at once: the server has a bound on strangers.
        Date.now() + i,
      )
      this.units.set(deviceNo, unit)
      this.#links.set(deviceNo, link)
    }
    this.#timer = setInterval(() => {
      const now = Date.now()
      for (const [deviceNo, link] of this.#links) {
        link.tick(now)
        this.units.get(deviceNo)!.flush()
      }
    }, TICK_MS)
  }

  /** These devices are out of reach until they are let go. */
  hold(deviceNos: readonly string[]): void {
    for (const deviceNo of deviceNos) this.#links.get(deviceNo)!.lose(Number.POSITIVE_INFINITY)
  }

  letGo(deviceNos: readonly string[]): void {
    for (const deviceNo of deviceNos) this.#links.get(deviceNo)!.lose(Date.now())
  }

  /** Devices by the version they run now. */
  versions(): Record<string, number> {
    const counted: Record<string, number> = {}
    for (const unit of this.units.values()) counted[unit.version] = (counted[unit.version] ?? 0) + 1
    return counted
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#links.values()].map(link => link.stop()))
  }
}
