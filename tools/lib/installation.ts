import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { atEnd } from './end.ts'
import { freePort } from './free-port.ts'
import { processTable, treeOf } from './processes.ts'

const root = join(import.meta.dirname, '../..')
/** Another build can be tried without touching the one in dist. */
export const BUILT_SERVER = process.env.TW_SERVER_FILE ?? join(root, 'dist/server/main.js')
export const PASSWORD = 'installation-password'

export interface InstallationOptions {
  /** Variables of the server on top of ours. */
  env?: Record<string, string>
  /** Program and words that start the server, instead of the built one run directly. */
  command?: string[]
}

export interface Device {
  productKey: string
  deviceNo: string
  secret: string
  id: string
}

/** The built server under test: started, killed in parts, started again on the same folder and ports. */
export class Installation {
  private child: ChildProcess | null = null
  private output = ''
  private readonly forget = atEnd(async () => {
    await this.stop()
    this.remove()
  })

  private constructor(
    readonly dataDir: string,
    readonly httpPort: number,
    readonly mqttPort: number,
    private readonly options: InstallationOptions,
  ) {}

  static async create(options: InstallationOptions = {}): Promise<Installation> {
    if (!existsSync(BUILT_SERVER))
      throw new Error('dist/server is missing: run npm start or npm test once, they build it')
    return new Installation(mkdtempSync(join(tmpdir(), 'tw-tools-')), await freePort(), await freePort(), options)
  }

  get url(): string {
    return `http://127.0.0.1:${this.httpPort}`
  }

  get log(): string {
    return this.output
  }

  /** Of the server's first process; 0 before it was started. */
  get pid(): number {
    return this.child?.pid ?? 0
  }

  /** @returns milliseconds until /readyz says ready */
  async start(): Promise<number> {
    const began = performance.now()
    this.spawn()
    await this.ready()
    return performance.now() - began
  }

  /** Starts the server without waiting for anything. */
  spawn(): void {
    this.output = ''
    const { command = [process.execPath, BUILT_SERVER] } = this.options
    const child = spawn(command[0]!, command.slice(1), {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: this.dataDir,
        HTTP_PORT: String(this.httpPort),
        MQTT_PORT: String(this.mqttPort),
        MQTTS_PORT: '0',
        DEMO: '0',
        ADMIN_PASSWORD: PASSWORD,
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
        ...this.options.env,
      },
      // Its own end of the channel closes with us, however we end: then it stops too.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.child = child
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (data: Buffer) => this.note(data))
  }

  private note(data: Buffer): void {
    this.output = (this.output + data.toString()).slice(-200_000)
  }

  /** Waits until the server says it is ready. @throws with the server's output when it ends or takes over two minutes */
  async ready(): Promise<void> {
    const deadline = performance.now() + 120_000
    while (performance.now() < deadline) {
      if (!this.running()) throw new Error(`the server ended:\n${this.output}`)
      try {
        if ((await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(10_000) })).ok) return
      } catch {
        // not listening yet
      }
      // Asked without a pause, it would have one core less to start on.
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    throw new Error(`the server did not become ready:\n${this.output}`)
  }

  running(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null
  }

  /** All processes of the installation, read from /proc. */
  processes(): { pid: number; name: string; role: 'main' | 'gateway' | 'postgres' | 'other' }[] {
    const main = this.pid
    return treeOf(main, processTable()).map(({ pid, name, command, parent }) => ({
      pid,
      name,
      role:
        pid === main
          ? ('main' as const)
          : command.includes('gateway.')
            ? ('gateway' as const)
            : name === 'postgres' && parent === main
              ? ('postgres' as const)
              : ('other' as const),
    }))
  }

  /** kill -9 of one part, or of every process at once. @returns what was killed */
  kill(what: 'main' | 'gateway' | 'postgres' | 'everything'): number {
    const victims = this.processes().filter(p => what === 'everything' || p.role === what)
    for (const { pid } of victims) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // it ended by itself
      }
    }
    return victims.length
  }

  exited(): Promise<void> {
    const { child } = this
    if (!child || !this.running()) return Promise.resolve()
    return new Promise(resolve => child.once('exit', () => resolve()))
  }

  async stop(): Promise<number | null> {
    const { child } = this
    if (!child || !this.running()) return child?.exitCode ?? null
    child.kill('SIGTERM')
    await this.exited()
    return child.exitCode
  }

  remove(): void {
    this.forget()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** A pool of the owner of the embedded PostgreSQL, for looking behind the curtain. */
  database(name = 'thingwright'): pg.Pool {
    const pool = new pg.Pool({
      host: join(this.dataDir, 'run'),
      port: 5432,
      user: 'postgres',
      database: name,
      max: 2,
    })
    pool.on('error', () => {})
    return pool
  }

  /** Makes a product with the property `n` and some devices through the API. */
  async devices(count: number): Promise<Device[]> {
    const reply = await fetch(`${this.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
    })
    const { access_token } = (await reply.json()) as { access_token: string }
    const post = async <T>(path: string, body: unknown): Promise<T> => {
      const response = await fetch(`${this.url}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as T
    }
    const product = await post<{ id: string; productKey: string }>('/products', {
      name: `Faults ${Date.now()}`,
      linkType: 'mqtt',
      thingModel: { properties: [{ identifier: 'n', name: 'n', dataType: { type: 'int32' }, access: 'r' }] },
    })
    const devices: Device[] = []
    for (let i = 0; i < count; i++) {
      const device = await post<{ id: string; deviceNo: string; deviceSecret: string }>('/devices', {
        productId: product.id,
        name: `Device ${i}`,
      })
      devices.push({
        id: device.id,
        productKey: product.productKey,
        deviceNo: device.deviceNo,
        secret: device.deviceSecret,
      })
    }
    return devices
  }
}
