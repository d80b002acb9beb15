import { parseArgs } from 'node:util'
import { ApiClient } from './api-client.ts'
import { readCatalogue } from './catalogue-files.ts'
import { Fleet, type FleetStats } from './fleet.ts'
import { provision } from './provision.ts'

const HELP = `Usage: npm run simulate -- --url http://127.0.0.1:8080 --user NAME --password SECRET [options]

  --devices N          number of devices (default 60), spread over all kinds
  --rate R             messages a second of the whole fleet (default: each kind's own pace)
  --url URL            the installation (default http://127.0.0.1:8080)
  --token TOKEN        an access token, instead of --user and --password
  --mqtt HOST:PORT     where devices connect (default: what the installation says)
  --history DAYS       also write the past so many days, at most 500,000 messages
  --seconds S          stop after so many seconds
  --lang zh|en         language of product and device names (default zh)
  --credentials FILE   where device secrets are kept between runs
  --catalogue FOLDER   product files
`

/** `npm run simulate`: makes what is missing through the public API, then lets the devices live until Ctrl-C. */
export async function simulate(args: string[]): Promise<void> {
  try {
    const options = readOptions(args)
    if (options) await run(options)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

type Options = NonNullable<ReturnType<typeof readOptions>>

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      devices: { type: 'string', default: '60' },
      rate: { type: 'string' },
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      token: { type: 'string' },
      user: { type: 'string' },
      password: { type: 'string' },
      mqtt: { type: 'string' },
      history: { type: 'string' },
      seconds: { type: 'string' },
      lang: { type: 'string', default: 'zh' },
      credentials: { type: 'string' },
      catalogue: { type: 'string', default: 'apps/server/src/db/seeds/demo/products' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return null
  }
  return values
}

async function run(options: Options): Promise<void> {
  const count = positive('devices', options.devices)
  const api = new ApiClient(options)
  await api.signIn()
  const url = new URL(options.url)
  const { devices, anyDeviceId } = await provision({
    api,
    products: readCatalogue(options.catalogue),
    devices: count,
    english: options.lang === 'en',
    credentialsFile: options.credentials ?? `data/simulate/${url.hostname}-${url.port || '80'}.json`,
    progress: (done, total) => line(`preparing devices ${done}/${total}`),
  })
  const mqtt = options.mqtt === undefined ? await mqttAddress(api, anyDeviceId, url) : hostAndPort(options.mqtt)
  line(`${devices.length} devices ready, connecting to ${mqtt.host}:${mqtt.port}\n`)

  const intervalMs =
    options.rate === undefined ? undefined : Math.max(10, Math.round((count / positive('rate', options.rate)) * 1_000))
  let past = ''
  const fleet = new Fleet(
    {
      mqtt,
      devices: intervalMs === undefined ? devices : devices.map(device => ({ ...device, intervalMs })),
      ...(options.history === undefined
        ? {}
        : { history: { days: positive('history', options.history), maxMessages: 500_000, watchPid: process.pid } }),
    },
    {
      history: (done, total) => {
        past = `   history ${done}/${total}`
      },
      refused: (device, code) => line(`sign-in of ${device.productKey}/${device.deviceNo} refused (${code})\n`),
      problem: message => line(`${message}\n`),
    },
  )
  const ticker = setInterval(
    showEachSecond(fleet, () => past),
    1_000,
  )
  let ended: () => void = () => {}
  const end = new Promise<void>(resolve => {
    ended = resolve
  })
  process.on('SIGINT', ended)
  process.on('SIGTERM', ended)
  if (options.seconds !== undefined) setTimeout(ended, positive('seconds', options.seconds) * 1_000).unref()
  await Promise.race([fleet.start(), end])
  await end
  clearInterval(ticker)
  // A second Ctrl-C does not wait.
  process.on('SIGINT', () => process.exit(130))
  await fleet.stop()
  const { sent, acked, refused, skipped, commands } = fleet.stats
  line(`stopped: ${sent} sent, ${acked} acknowledged, ${refused} refused, ${skipped} skipped, ${commands} commands\n`)
  process.exit(0)
}

function showEachSecond(fleet: Fleet, past: () => string): () => void {
  let before: FleetStats = fleet.stats
  return () => {
    const now = fleet.stats
    const p99 = fleet.latency.percentile(0.99)
    const text = [
      `connected ${now.connected}/${now.devices}`,
      `${now.sent - before.sent} msg/s`,
      `acked ${now.acked - before.acked}/s`,
      `p99 ack ${p99.toFixed(p99 < 10 ? 1 : 0)} ms`,
      `refused ${now.refused}`,
      `commands ${now.commands}`,
    ]
    line(text.join('   ') + past() + (process.stdout.isTTY ? '' : '\n'))
    fleet.latency.reset()
    before = now
  }
}

/** Overwrites the present line of a terminal; elsewhere only whole lines are written. */
function line(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`)
  else if (text.endsWith('\n')) process.stdout.write(text)
}

async function mqttAddress(api: ApiClient, deviceId: string, url: URL): Promise<{ host: string; port: number }> {
  const { host, mqttPort } = await api.get<{ host: string; mqttPort: number }>(`/devices/${deviceId}/access`)
  return { host: host === '0.0.0.0' || host === '' ? url.hostname : host, port: mqttPort }
}

function hostAndPort(text: string): { host: string; port: number } {
  const at = text.lastIndexOf(':')
  return at < 0 ? { host: text, port: 1883 } : { host: text.slice(0, at), port: positive('mqtt', text.slice(at + 1)) }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} takes a number above 0, got ${text}`)
  return value
}
