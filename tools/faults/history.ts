import { setTimeout as delay } from 'node:timers/promises'
import { type Device, type Installation, PASSWORD } from '../lib/installation.ts'

const PAGE = 10_000
const DAY_MS = 86_400_000
const PATIENCE_MS = 20_000

/** The values of a device's property `n` in its history, as everybody reads them: over the API, page by page. */
export async function historyOf(installation: Installation, device: Device): Promise<number[]> {
  const token = await signIn(installation)
  const values: number[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({
      identifier: 'n',
      from: String(Date.now() - 2 * DAY_MS),
      to: String(Date.now() + DAY_MS),
      limit: String(PAGE),
      ...(cursor ? { cursor } : {}),
    })
    const response = await patiently(() =>
      fetch(`${installation.url}/api/v1/devices/${device.id}/telemetry/raw?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    )
    if (!response.ok) throw new Error(`history: ${response.status} ${await response.text()}`)
    const page = (await response.json()) as { items: [number, number][]; nextCursor: string | null }
    for (const [, n] of page.items) values.push(n)
    cursor = page.nextCursor
  } while (cursor)
  return values
}

/** Asks again where the server names a time for it: a connection that died in the fault may be found out by a reader. */
async function patiently(ask: () => Promise<Response>): Promise<Response> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const response = await ask()
    const after = Number(response.headers.get('retry-after'))
    if (response.status !== 503 || !(after > 0) || performance.now() > deadline) return response
    await response.body?.cancel()
    await delay(after * 1_000)
  }
}

async function signIn(installation: Installation): Promise<string> {
  const reply = await fetch(`${installation.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
  })
  if (!reply.ok) throw new Error(`sign-in: ${reply.status} ${await reply.text()}`)
  return ((await reply.json()) as { access_token: string }).access_token
}

export interface HistoryReport {
  /** Acknowledged and not in history. */
  lost: number
  /** Points in history, and how many there must be: one for each message, or for each time that a device gave. */
  points: number
  expected: number
}

/** Adds up what history has of one device. @param sent journal rows of each number */
export function compareHistory(
  report: HistoryReport,
  history: readonly number[],
  acknowledged: ReadonlySet<number>,
  rows: ReadonlyMap<number, number>,
  givesTimes: boolean,
): void {
  const found = new Set(history)
  for (const n of acknowledged) if (!found.has(n)) report.lost += 1
  report.points += history.length
  if (givesTimes) report.expected += rows.size
  else for (const count of rows.values()) report.expected += count
}
