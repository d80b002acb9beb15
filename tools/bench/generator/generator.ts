import { join } from 'node:path'
import { ChildTool } from '../core/child-process.ts'
import type { FromGenerator, GeneratorFigures, ToGenerator } from './messages.ts'
import type { MeterIdentity } from './meter-device.ts'

/** The process that plays the devices, as the benchmark sees it. */
export class Generator {
  private constructor(private readonly tool: ChildTool<ToGenerator, FromGenerator>) {}

  static async start(): Promise<Generator> {
    return new Generator(await ChildTool.start(join(import.meta.dirname, 'main.ts')))
  }

  /** Connects every device. @returns seconds it took @throws when one is refused */
  async connect(port: number, devices: MeterIdentity[], qos: 0 | 1 = 1): Promise<number> {
    return (await this.tool.ask({ type: 'connect', port, qos, devices }, 'connected')).seconds
  }

  /** Open loop: from now on so many messages a second over all devices in turn; 0 stops. */
  async pace(rate: number): Promise<void> {
    await this.tool.ask({ type: 'pace', rate }, 'done')
  }

  async read(): Promise<GeneratorFigures> {
    return (await this.tool.ask({ type: 'read' }, 'figures')).figures
  }

  async perDevice(): Promise<{ sent: Uint32Array; acked: Uint32Array }> {
    return this.tool.ask({ type: 'per-device' }, 'per-device')
  }

  /** Cuts all connections; the devices are forgotten. */
  async disconnect(): Promise<void> {
    await this.tool.ask({ type: 'disconnect' }, 'done')
  }

  stop(): void {
    this.tool.stop()
  }
}
