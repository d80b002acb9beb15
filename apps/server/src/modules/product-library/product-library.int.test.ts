import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCT_LIBRARY } from '../../db/library/index.ts'
import { company, type Management, management, refusal } from '../../db/testing/management.ts'
import { createFormatTools, type FormatTools } from '../../ingest/formats/format-tools.ts'
import { silentLogger } from '../../lib/log.ts'
import { countDevicesByProduct, describeDevices, onlineDeviceNums } from '../devices/index.ts'
import { createProductsModule } from '../products/index.ts'
import { createProductLibraryModule } from './index.ts'
import type { ProductLibraryService } from './product-library.service.ts'

let m: Management
let tools: FormatTools
let products: ReturnType<typeof createProductsModule>
let library: ProductLibraryService

beforeAll(async () => {
  m = await management()
  tools = createFormatTools(silentLogger)
  products = createProductsModule({
    database: m.database,
    groups: m.groups.service,
    quotas: m.tenants.quotas,
    gateway: m.gateway,
    devices: { countByProduct: countDevicesByProduct, onlineNums: onlineDeviceNums },
    usages: [],
    describeDevices,
    formatTools: tools,
    readRefusedFrames: async () => [],
  })
  library = createProductLibraryModule({
    database: m.database,
    products: products.service,
    formats: products.format,
    links: products.link,
    templates: async () => PRODUCT_LIBRARY,
  }).service
})
afterAll(async () => {
  await tools?.stop()
})

describe('the product library', () => {
  it('installs every product: published, its samples kept and right', async () => {
    const own = await company(m.db)
    for (const { key, samples, format, name } of PRODUCT_LIBRARY) {
      const made = await library.install(own.ctx, key, {})
      expect(made, key).toMatchObject({ name: name.zh, status: 'published', modelVersion: 1, modelChanged: false })
      expect(made.format.kind, key).toBe(format.kind)
      const { results } = await products.format.runSamples(own.ctx, made.id, {})
      expect(
        results.flatMap(result => result.problems),
        key,
      ).toEqual([])
      expect(results, key).toHaveLength(samples.length)
    }
    const log = await m.audit.service.list(own.ctx, { action: 'product.install', total: '1' })
    expect(log.total).toBe(PRODUCT_LIBRARY.length)
  })

  it('is searched in both languages, by maker, protocol and way of connecting', async () => {
    const own = await company(m.db)
    const keys = async (input: Parameters<ProductLibraryService['list']>[1]) =>
      (await library.list(own.ctx, input)).items.map(({ key }) => key)
    expect(await keys({ q: '水表' })).toContain('cjt188-water')
    expect(await keys({ q: 'ENERGY METER' })).toContain('modbus-sdm630')
    expect(await keys({ q: 'dragino', linkType: 'lorawan' })).toHaveLength(3)
    expect(await keys({ q: 'no such thing' })).toEqual([])
    expect((await refusal(library.get('no-such'))).code).toBe('product.template_not_found')
  })

  it('copies a product, and carries it to another company as a file, with link, format and samples', async () => {
    const own = await company(m.db)
    const other = await company(m.db)
    const made = await library.install(own.ctx, 'dlt645-2007', { name: '电表' })
    const copy = await library.copy(own.ctx, made.id, { name: '电表 2', draft: true })
    expect(copy).toMatchObject({ name: '电表 2', status: 'draft', format: made.format })
    expect(copy.productKey).not.toBe(made.productKey)
    const file = await library.file(own.ctx, made.id)
    expect(JSON.stringify(file)).not.toContain(made.productKey)
    const brought = await library.importFile(other.ctx, { file: JSON.parse(JSON.stringify(file)) })
    expect(brought).toMatchObject({
      name: '电表',
      status: 'published',
      thingModel: made.thingModel,
      format: made.format,
    })
    expect((await products.link.get(other.ctx, brought.id)).settings).toMatchObject({ idleGapMs: 100 })
    expect(await library.file(other.ctx, brought.id)).toEqual(file)
  })

  it('leaves nothing behind of a file of which a part is refused', async () => {
    const own = await company(m.db)
    const file = {
      thingwright: 'product' as const,
      name: 'broken',
      linkType: 'tcp' as const,
      thingModel: { properties: [{ identifier: 'a', name: 'a', dataType: { type: 'double' }, access: 'r' }] },
      format: { kind: 'label' as const, label: '[D?' },
    }
    expect((await refusal(library.importFile(own.ctx, { file }))).code).toBe('format.invalid')
    const later = {
      ...file,
      format: { kind: 'json' as const },
      link: { register: { kind: 'regex' as const, pattern: '(' } },
    }
    await expect(library.importFile(own.ctx, { file: later })).rejects.toThrow()
    expect((await products.service.list(own.ctx, {})).items).toEqual([])
  })
})
