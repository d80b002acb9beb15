import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ApiClient } from './api-client.ts'
import type { CatalogueProduct } from './catalogue-files.ts'
import type { FleetDeviceConfig } from './config.ts'

export interface ProvisionOptions {
  api: ApiClient
  products: CatalogueProduct[]
  devices: number
  english: boolean
  /** Where secrets are kept between runs, so that devices need not get new ones each time. */
  credentialsFile: string
  progress: (done: number, total: number) => void
}

export interface Provisioned {
  devices: FleetDeviceConfig[]
  /** Id of one of the devices, to ask the server where devices connect. */
  anyDeviceId: string
}

interface ProductReply {
  id: string
  productKey: string
  name: string
  status: string
  linkType: string
}

interface ProductDetailReply extends ProductReply {
  publishedModel: { properties?: { identifier: string }[] } | null
}

interface DeviceReply {
  id: string
  deviceNo: string
  lifecycle: string
}

/** By device key: what the server gave out. */
type Credentials = Record<string, { id: string; secret: string }>

const AT_ONCE = 8

/** Makes sure that the server has the products and devices of the fleet, and that we have their secrets. */
export async function provision(options: ProvisionOptions): Promise<Provisioned> {
  const { api, products, credentialsFile, progress } = options
  const credentials = readCredentials(credentialsFile)
  const shares = spread(options.devices, products)
  const devices: FleetDeviceConfig[] = []
  let anyDeviceId = ''
  for (const [i, product] of products.entries()) {
    const count = shares[i]!
    if (count === 0) continue
    const { id: productId, productKey } = await ensureProduct(api, product, options.english)
    const existing = await existingDevices(api, productId, product)
    await inParallel(count, async n => {
      const deviceNo = deviceNumber(product, n)
      const key = `${productKey}/${deviceNo}`
      const kept = credentials[key]
      const found = existing.get(deviceNo)
      const known =
        kept && kept.id === found?.id ? kept : await ensureDevice(api, options, product, productId, n, found)
      credentials[key] = known
      anyDeviceId = known.id
      const home = product.devices[n % product.devices.length]!
      devices.push({
        kind: product.kind,
        productKey,
        deviceNo,
        deviceSecret: known.secret,
        ...placed(home, n, product),
      })
      progress(devices.length, options.devices)
    })
    writeCredentials(credentialsFile, credentials)
  }
  return { devices, anyDeviceId }
}

/** Devices per product, in the proportions of the catalogue. */
export function spread(devices: number, products: readonly CatalogueProduct[]): number[] {
  const total = products.reduce((sum, product) => sum + product.devices.length, 0)
  const exact = products.map(product => (devices * product.devices.length) / total)
  const shares = exact.map(Math.floor)
  const byRest = exact.map((share, i) => ({ i, rest: share - shares[i]! })).sort((a, b) => b.rest - a.rest)
  const missing = devices - shares.reduce((sum, share) => sum + share, 0)
  for (const { i } of byRest.slice(0, missing)) shares[i]!++
  return shares
}

function deviceNumber(product: CatalogueProduct, n: number): string {
  return `SIM-${product.kind.replace('_', '-').toUpperCase()}-${String(n + 1).padStart(5, '0')}`
}

/** Devices beyond the catalogue's stand around the homes of those that are in it. */
function placed(home: CatalogueProduct['devices'][number], n: number, product: CatalogueProduct) {
  const ring = Math.floor(n / product.devices.length)
  const { lng, lat, traits } = home
  const shift = 0.004 * ring
  return {
    lng: lng + shift * Math.cos(n),
    lat: lat + shift * Math.sin(n),
    ...(traits === undefined ? {} : { traits }),
  }
}

/** A published product that takes what our devices send: the one of that name, else a new one. */
async function ensureProduct(api: ApiClient, product: CatalogueProduct, english: boolean): Promise<ProductReply> {
  const name = english ? product.ename : product.name
  const names = [name, `${name} (SIM)`]
  for await (const found of api.list<ProductReply>('/products', { q: name })) {
    if (!names.includes(found.name) || found.status !== 'published' || found.linkType !== 'mqtt') continue
    const { publishedModel } = await api.get<ProductDetailReply>(`/products/${found.id}`)
    const has = new Set(publishedModel?.properties?.map(property => property.identifier))
    if (product.thingModel.properties.every(property => has.has(property.identifier))) return found
    names.shift()
  }
  return api.post<ProductReply>('/products', {
    name: names[0] ?? `${name} (SIM ${Date.now()})`,
    linkType: 'mqtt',
    category: english ? product.ecategory : product.category,
    description: english ? product.edescription : product.description,
    icon: product.icon,
    thingModel: product.thingModel,
  })
}

async function existingDevices(
  api: ApiClient,
  productId: string,
  product: CatalogueProduct,
): Promise<Map<string, DeviceReply>> {
  const prefix = deviceNumber(product, 0).slice(0, -5)
  const found = new Map<string, DeviceReply>()
  for await (const device of api.list<DeviceReply>('/devices', { productId, q: prefix })) {
    if (device.deviceNo.startsWith(prefix) && device.lifecycle !== 'recycled') found.set(device.deviceNo, device)
  }
  return found
}

/** A new device, or a new secret for one whose secret we do not have. */
async function ensureDevice(
  api: ApiClient,
  { english }: ProvisionOptions,
  product: CatalogueProduct,
  productId: string,
  n: number,
  found: DeviceReply | undefined,
): Promise<{ id: string; secret: string }> {
  const reply = found
    ? await api.post<{ id: string; deviceSecret: string }>(`/devices/${found.id}/rotate-secret`, { overlapSeconds: 0 })
    : await api.post<{ id: string; deviceSecret: string }>('/devices', {
        productId,
        deviceNo: deviceNumber(product, n),
        name: `${english ? product.ename : product.name} ${n + 1}`,
      })
  return { id: reply.id, secret: reply.deviceSecret }
}

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker))
}

function readCredentials(file: string): Credentials {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } catch {
    return {}
  }
}

function writeCredentials(file: string, credentials: Credentials): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(credentials), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
