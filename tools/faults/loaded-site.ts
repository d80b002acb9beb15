import { setTimeout as delay } from 'node:timers/promises'
import type { Installation } from '../lib/installation.ts'
import { AskingPerson } from './asking-person.ts'
import { type Counted, CountingDevice } from './counting-device.ts'
import { CountingPoster } from './counting-poster.ts'
import { historyOf } from './history.ts'

/** How one fault was survived: milliseconds from its end until each kind of caller was served again. */
export interface FaultSeen {
  site: string
  what: string
  mqttMs: number
  httpMs: number
  apiMs: number
  /** The server's and the gateway's processes are those of before. */
  sameProcesses: boolean
  /** While it lasted, /readyz answered and named what is not. */
  told: boolean
}

/** History held against what devices know, value by value. */
export interface Comparison {
  acknowledged: number
  points: number
  /** Acknowledged and not in history. */
  lost: number
  /** Points beyond as many as there may be of their value. */
  twice: number
  /** Points whose value was never sent. */
  strange: number
}

export interface LoadOptions {
  /** Devices over MQTT; a quarter as many more come over HTTP. Half of all send no times. */
  devices: number
  /** Rest after each acknowledgement, of each of forty messages that a device has on its way. */
  pauseMs: number
  say(line: string): void
}

const HTTP_PAUSE_MS = 50
/** Only against hanging. */
const LONG_MS = 180_000

/** A running installation under load from devices and a person, all of whom notice what happens to them. */
export class LoadedSite {
  readonly seen: FaultSeen[] = []
  private readonly person: AskingPerson

  private constructor(
    readonly name: string,
    readonly installation: Installation,
    private readonly mqtt: readonly CountingDevice[],
    private readonly http: readonly CountingPoster[],
    private readonly options: LoadOptions,
  ) {
    this.person = new AskingPerson(installation.url)
  }

  /** Starts the installation and the load, and waits until it flows. */
  static async open(name: string, installation: Installation, options: LoadOptions): Promise<LoadedSite> {
    await installation.start()
    const posters = Math.ceil(options.devices / 4)
    const made = await installation.devices(options.devices + posters)
    const mqtt = made
      .slice(posters)
      .map(
        (device, i) =>
          new CountingDevice(
            device,
            i % 2 ? 2 : 1,
            installation.mqttPort,
            i % 4 < 2 ? 4 : 5,
            i % 8 >= 4,
            options.pauseMs,
          ),
      )
    const http = made
      .slice(0, posters)
      .map((device, i) => new CountingPoster(device, installation.url, i % 2 === 1, HTTP_PAUSE_MS))
    const site = new LoadedSite(name, installation, mqtt, http, options)
    await site.flows(100)
    return site
  }

  get acknowledged(): number {
    return sum(this.mqtt) + sum(this.http)
  }

  /** Waits until everybody was served and so many more messages were acknowledged. */
  async flows(messages: number): Promise<void> {
    const target = this.acknowledged + messages
    await this.all(this.served(), `nothing flows on ${this.name}`)
    await until(
      () => this.acknowledged >= target,
      () => `messages stopped being acknowledged at ${this.acknowledged}`,
      this.installation,
    )
  }

  /**
   * Makes a fault under load and notes how soon after its end everybody is served; after a kill, with what they sent
   * since then.
   * @param during ends with the fault
   */
  async fault(what: string, during: () => Promise<unknown>): Promise<void> {
    await this.flows(500)
    const before = this.processes()
    let over = false
    const told = this.isTold(() => over)
    await during().finally(() => {
      over = true
    })
    const [mqttMs, httpMs, apiMs] = await this.all(
      this.served(what.includes('kill') ? performance.now() : 0),
      `after ${what} nobody is served on ${this.name}`,
    )
    const seen = {
      site: this.name,
      what,
      mqttMs,
      httpMs,
      apiMs,
      sameProcesses: this.processes() === before,
      told: await told,
    }
    this.seen.push(seen)
    this.options.say(
      `${this.name}: ${what}: first acknowledgement over MQTT ${mqttMs} ms after its end, over HTTP ${httpMs} ms, first answer of the API ${apiMs} ms`,
    )
  }

  /** Ends the load once everything sent is acknowledged, and holds history against it, device by device. */
  async compare(): Promise<Comparison> {
    const everyone: Counted[] = [...this.mqtt, ...this.http]
    await this.all([Promise.all(everyone.map(one => one.settle()))], 'some messages were never acknowledged')
    const total: Comparison = { acknowledged: 0, points: 0, lost: 0, twice: 0, strange: 0 }
    for (const one of everyone) compareValues(total, one, await historyOf(this.installation, one.device))
    return total
  }

  async close(): Promise<void> {
    this.person.leave()
    await Promise.all([...this.mqtt, ...this.http].map(one => one.close()))
  }

  /** Whether /readyz names something before it is over. */
  private async isTold(over: () => boolean): Promise<boolean> {
    while (!over()) {
      const asked = fetch(`${this.installation.url}/readyz`, { signal: AbortSignal.timeout(10_000) })
      const reply = await asked.catch(() => null)
      if (reply?.status === 503 && !over()) return true
      await delay(100)
    }
    return false
  }

  /** @param after served is who got an answer to what he sent after that, also where answers were on their way already */
  private served(after = 0): Promise<number>[] {
    const began = performance.now()
    const since = async (isServed: () => boolean) => {
      while (!isServed()) await delay(5)
      return Math.round(performance.now() - began)
    }
    const again = (devices: readonly Counted[]) => {
      const before = sum(devices)
      return since(() => sum(devices) > before && devices.some(({ servedUntil }) => servedUntil >= after))
    }
    const { answers } = this.person
    return [again(this.mqtt), again(this.http), since(() => this.person.answers > answers)]
  }

  private async all<T>(work: readonly Promise<T>[], why: string): Promise<[T, T, T]> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${why}\n${this.installation.log}`)), LONG_MS)
    })
    return (await Promise.race([Promise.all(work), late]).finally(() => clearTimeout(timer))) as [T, T, T]
  }

  private processes(): string {
    return this.installation
      .processes()
      .filter(({ role }) => role === 'main' || role === 'gateway')
      .map(({ pid }) => pid)
      .join()
  }
}

/** Adds up what history has of one device: each value that was acknowledged at least once, none more often than it may. */
export function compareValues(total: Comparison, one: Counted, history: readonly number[]): void {
  const found = new Map<number, number>()
  for (const n of history) found.set(n, (found.get(n) ?? 0) + 1)
  total.acknowledged += one.acknowledged.size
  total.points += history.length
  for (const n of one.acknowledged) if (!found.has(n)) total.lost++
  for (const [n, times] of found) {
    if (one.atMost(n) === 0) total.strange += times
    else total.twice += Math.max(0, times - one.atMost(n))
  }
}

function sum(counted: readonly Counted[]): number {
  return counted.reduce((all, { acknowledged }) => all + acknowledged.size, 0)
}

async function until(condition: () => boolean, why: () => string, installation: Installation): Promise<void> {
  const deadline = performance.now() + LONG_MS
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${why()}\n${installation.log}`)
    await delay(5)
  }
}
