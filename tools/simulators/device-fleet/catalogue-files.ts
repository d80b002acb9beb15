import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceKind, isDeviceKind } from './models/index.ts'
import type { Values } from './models/physical-model.ts'

/** A product file of the demo catalogue (apps/server/src/db/seeds/demo/products), as far as the fleet reads it. */
export interface CatalogueProduct {
  kind: DeviceKind
  name: string
  ename: string
  category: string
  ecategory: string
  description: string
  edescription: string
  icon: string
  /** How its devices connect; mqtt when absent. */
  linkType?: string
  thingModel: { properties: { identifier: string }[]; events: unknown[]; services: unknown[] }
  devices: { lng: number; lat: number; traits?: Values }[]
}

/** The products of the folder that we have a physical model for and that speak MQTT; others need more than a product to be made. */
export function readCatalogue(folder: string): CatalogueProduct[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .sort()
    .map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as CatalogueProduct)
    .filter(({ kind, linkType }) => isDeviceKind(kind) && (linkType ?? 'mqtt') === 'mqtt')
}
