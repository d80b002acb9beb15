import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemContext } from '../lib/context.ts'
import type { DemoCustomer, DemoNetworks } from '../lib/demo-networks.ts'
import type { ModuleParts } from '../lib/module.ts'
import type { SimulatorProcess } from './simulators.ts'

export interface DemoNetworkOptions {
  modules: readonly Pick<ModuleParts, 'connectDemo'>[]
  tenantId: string
  dataDir: string
  simulators: Pick<SimulatorProcess, 'networks'>
  customer(): Promise<DemoCustomer | null>
  /** Of this server, on this machine. */
  url: string
}

/**
 * Connects the demo company to the simulated networks: a ChirpStack, a vendor of cameras, two carriers, two telecom
 * platforms, WeChat. They keep what people make there in a file, so that the company finds it again after a start.
 */
export function connectDemoNetworks(options: DemoNetworkOptions): void {
  const { modules, tenantId, dataDir, simulators, customer, url } = options
  const folder = join(dataDir, 'demo')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  simulators.networks(join(folder, 'networks.json'), async (said, send) => {
    const ctx = systemContext(tenantId, 'demo')
    const demo: DemoNetworks = {
      ...said,
      customer,
      here: path => `${url}${path}`,
      startTickets: () => send({ type: 'wechat', url }),
      integrate: (path, headers) => send({ type: 'integrate', url: `${url}${path}`, headers }),
      reports: (platform, path) => send({ type: 'reports', platform, url: `${url}${path}` }),
    }
    // A network that a slow machine did not reach in time leaves the others connected; the next start connects it.
    const failed: unknown[] = []
    for (const module of modules)
      try {
        await module.connectDemo?.(ctx, demo)
      } catch (error) {
        failed.push(error)
      }
    if (failed.length > 0) throw failed[0]
    send({ type: 'connected' })
  })
}
