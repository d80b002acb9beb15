import { setTimeout as delay } from 'node:timers/promises'
import { Installation } from '../lib/installation.ts'
import { CountingDevice } from './counting-device.ts'

export interface OutageReport {
  outages: { seconds: number; firstAckMs: number }[]
  acknowledged: number
  /** Acknowledged and not in the journal. */
  lost: number
  /** The server's and the gateway's processes are those of the start. */
  sameProcesses: boolean
}

/**
 * The embedded database answers nothing for a while, several times, under load: its processes are stopped, not ended, so
 * that every statement hangs. Devices go on sending; the server must neither end nor lose what it acknowledged.
 */
export async function outages(options: { seconds: readonly number[]; devices: number }): Promise<OutageReport> {
  const installation = await Installation.create()
  try {
    await installation.start()
    const devices = (await installation.devices(options.devices)).map(
      (device, i) => new CountingDevice(device, i % 2 ? 2 : 1, installation.mqttPort, i % 2 ? 4 : 5, false),
    )
    const acknowledged = () => devices.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
    const more = async (than: number) => {
      while (acknowledged() <= than) await delay(5)
    }
    const ours = () =>
      installation
        .processes()
        .filter(({ role }) => role === 'main' || role === 'gateway')
        .map(({ pid }) => pid)
        .join()
    await more(0)
    const before = ours()
    const seen: OutageReport['outages'] = []
    for (const seconds of options.seconds) {
      const postgres = installation.processes().filter(({ name }) => name === 'postgres')
      for (const { pid } of postgres) signal(pid, 'SIGSTOP')
      await delay(seconds * 1000)
      const ended = performance.now()
      const at = acknowledged()
      for (const { pid } of postgres) signal(pid, 'SIGCONT')
      await more(at)
      seen.push({ seconds, firstAckMs: Math.round(performance.now() - ended) })
    }
    const sameProcesses = ours() === before
    await Promise.all(devices.map(device => device.settle()))
    const pool = installation.database()
    let lost = 0
    for (const { device, acknowledged } of devices) {
      const { rows } = await pool.query<{ n: number }>(
        `select (j.values ->> 'n')::int as n from journal j join devices d on d.num = j.device where d.id = $1`,
        [device.id],
      )
      const found = new Set(rows.map(({ n }) => n))
      for (const n of acknowledged) if (!found.has(n)) lost++
    }
    await pool.end()
    await Promise.all(devices.map(device => device.close()))
    const report = { outages: seen, acknowledged: acknowledged(), lost, sameProcesses }
    await installation.stop()
    return report
  } finally {
    installation.kill('everything')
    await installation.exited()
    installation.remove()
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // A backend that ended meanwhile.
  }
}
