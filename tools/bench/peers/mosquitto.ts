import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../core/bench.ts'
import { versionOf } from '../core/machine.ts'

/** A Mosquitto of our own, persistence on, without passwords (in its favour), as a peer of our session layer. */
export class Mosquitto {
  private constructor(
    readonly port: number,
    readonly version: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Null when there is no Mosquitto on this machine. */
  static async start(port: number): Promise<Mosquitto | null> {
    // Debian puts it where only root looks.
    const path = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)
    const version = versionOf('/bin/sh', ['-c', `PATH=${path} mosquitto -h 2>/dev/null`])
    if (!version?.startsWith('mosquitto version')) return null
    const folder = mkdtempSync(join(tmpdir(), 'tw-mosquitto-'))
    const config = join(folder, 'mosquitto.conf')
    const lines = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      'persistence true',
      `persistence_location ${folder}/`,
      'autosave_interval 1800',
      'log_type none',
      ...(process.getuid?.() === 0 ? ['user root'] : []),
    ]
    writeFileSync(config, `${lines.join('\n')}\n`)
    const child = spawn('mosquitto', ['-c', config], { env: { ...process.env, PATH: path }, stdio: 'ignore' })
    const mosquitto = new Mosquitto(port, version.replace('mosquitto version ', ''), child, folder)
    if (!(await until(() => mosquitto.answers(), 5_000))) {
      await mosquitto.stop()
      throw new Error('mosquitto does not start')
    }
    return mosquitto
  }

  get pid(): number {
    return this.child.pid!
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit')
      this.child.kill('SIGTERM')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  private answers(): Promise<boolean> {
    return new Promise(resolve => {
      const socket = connect(this.port, '127.0.0.1')
      socket.once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.once('error', () => resolve(false))
    })
  }
}
