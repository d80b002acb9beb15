import { join } from 'node:path'
import pg from 'pg'
import type { Installation } from '../../lib/installation.ts'
import { body, firstTime, publishOnce, signIn } from '../cold/start-watch.ts'
import type { MeterIdentity } from '../generator/meter-device.ts'

/** Milliseconds from the start of the process, or from the kill of a part, until … */
export interface RecoveryTimes {
  /** … PostgreSQL took a connection. */
  databaseMs: number
  /** … a device that connected over MQTT got its CONNACK. */
  letInMs: number
  /** … a message was acknowledged, that is stored. */
  storedMs: number
  /** … /readyz said ready. */
  readyMs: number
}

/** Watches from outside, with nothing but ports and the database's socket. */
export async function watchRecovery(
  installation: Installation,
  began: number,
  /** Two, for a device has one connection. */
  [visitor, sender]: readonly [MeterIdentity, MeterIdentity],
): Promise<RecoveryTimes> {
  const { mqttPort, url, dataDir } = installation
  const database = firstTime(began, 'PostgreSQL', () => answers(dataDir))
  const [databaseMs, letInMs, storedMs, readyMs] = await Promise.all([
    database,
    firstTime(began, 'a CONNACK', () => signIn(visitor, mqttPort)),
    firstTime(began, 'an acknowledgement', () => publishOnce(sender, mqttPort)),
    // Said a moment after a kill it would be the readiness of before.
    database.then(() => firstTime(began, 'readiness', async () => (await body(`${url}/readyz`)) !== '')),
  ])
  return { databaseMs, letInMs, storedMs, readyMs }
}

async function answers(dataDir: string): Promise<boolean> {
  const client = new pg.Client({ host: join(dataDir, 'run'), port: 5432, user: 'postgres', database: 'postgres' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** What took how long, as the processes themselves say in their log. */
export interface Steps {
  /** Of the main process, ms. */
  main: Record<string, number>
  gateway: Record<string, number>
  /** Of PostgreSQL, ms: making its files safe, reading the log again, writing what that changed. */
  postgres: Record<string, number>
}

interface Line {
  time: number
  name?: string
  msg?: string
  ms?: Record<string, number>
  postgres?: string
}

/** Read from the log of a server with LOG_LEVEL=debug. */
export function stepsOf(log: string): Steps {
  const lines = log.split('\n').flatMap((text): Line[] => {
    try {
      return [JSON.parse(text)]
    } catch {
      return []
    }
  })
  const started = (name: string) => lines.find(line => line.msg === 'started' && line.name === name)?.ms ?? {}
  const saidAt = (what: string) => lines.findLast(line => line.postgres?.includes(what))?.time
  const postgres: Record<string, number> = {}
  const between = (step: string, from: string, to: string) => {
    const [began, ended] = [saidAt(from), saidAt(to)]
    if (began !== undefined && ended !== undefined) postgres[step] = ended - began
  }
  between('making files safe', 'was interrupted', 'not properly shut down')
  between('reading the log again', 'redo starts', 'redo done')
  between('writing what it changed', 'checkpoint starting: end-of-recovery', 'checkpoint complete')
  return { main: started('thingwright'), gateway: started('gateway'), postgres }
}
