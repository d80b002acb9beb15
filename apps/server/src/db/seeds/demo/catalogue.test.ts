import { FormatBody } from '@thingwright/contracts/format-schemas'
import { LinkSettings } from '@thingwright/contracts/links.contract'
import { parseRule, RULE_FORMAT } from '@thingwright/rules'
import { parseModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { DEMO_GROUPS, DEMO_PRODUCTS, DEMO_TRIGGERS } from './catalogue.ts'
import { DEMO_PACKAGES, demoFirmwareLife, demoImage } from './firmware.seed.ts'

const devices = DEMO_PRODUCTS.flatMap(product => product.devices)

describe('the demo catalogue', () => {
  it('has at least 8 products and 70 devices', () => {
    expect(DEMO_PRODUCTS.length).toBeGreaterThanOrEqual(8)
    expect(devices.length).toBeGreaterThanOrEqual(70)
  })

  it.each(DEMO_PRODUCTS.map(product => [product.kind, product] as const))(
    '%s has a model without problems',
    (_, product) => {
      const result = parseModel(product.thingModel)
      expect(result).toMatchObject({ ok: true })
      // Nothing of the file is lost on reading: what stands there is the canonical form.
      if (result.ok) expect(result.model).toEqual(product.thingModel)
    },
  )

  it('has link settings and formats that the API would take', () => {
    for (const { kind, linkType = 'mqtt', link, format } of DEMO_PRODUCTS) {
      if (linkType === 'mqtt') expect({ link, format }, kind).toEqual({})
      else {
        expect(Value.Errors(FormatBody, format), kind).toEqual([])
        expect(Value.Errors(Type.Partial(LinkSettings, { additionalProperties: false }), link), kind).toEqual([])
      }
    }
    expect(new Set(DEMO_PRODUCTS.map(product => product.linkType))).toEqual(new Set([undefined, 'modbus_rtu', 'tcp']))
  })

  it('watches what its products have', () => {
    for (const { name, product, rule } of DEMO_TRIGGERS) {
      const found = DEMO_PRODUCTS.find(({ kind }) => kind === product)
      const parsed = parseRule({
        format: RULE_FORMAT,
        scope: product === undefined ? {} : { productIds: ['x'] },
        ...rule,
      })
      expect(parsed, name).toMatchObject({ ok: true })
      const properties =
        (found?.thingModel.properties as { identifier: string }[] | undefined)?.map(one => one.identifier) ?? []
      const asked = [...JSON.stringify(rule).matchAll(/"property":"(\w+)"/g)].map(([, property]) => property)
      expect(properties, name).toEqual(expect.arrayContaining(asked))
    }
  })

  it('names everything in both languages', () => {
    for (const product of DEMO_PRODUCTS) {
      const { properties, events, services } = product.thingModel as Record<string, { name?: string; ename?: string }[]>
      for (const item of [product, ...product.devices, ...properties!, ...events!, ...services!, ...DEMO_GROUPS]) {
        expect(item.name, JSON.stringify(item)).toBeTruthy()
        expect(item.ename, JSON.stringify(item)).toMatch(/^[^\u4e00-\u9fff]+$/)
      }
    }
  })

  it('numbers devices in the way the API allows, each once', () => {
    for (const device of devices) expect(device.deviceNo).toMatch(/^[A-Za-z0-9_.:-]{1,64}$/)
    expect(new Set(devices.map(device => device.deviceNo)).size).toBe(devices.length)
    expect(new Set(DEMO_PRODUCTS.map(product => product.kind)).size).toBe(DEMO_PRODUCTS.length)
  })

  it('puts everything into groups that exist, parents first', () => {
    const keys = (kind: string) => new Set(DEMO_GROUPS.filter(group => group.kind === kind).map(group => group.key))
    for (const device of devices) expect(keys('device')).toContain(device.group)
    for (const product of DEMO_PRODUCTS) expect(keys('product')).toContain(product.group)
    const seen = new Set<string>()
    for (const group of DEMO_GROUPS) {
      if (group.parent !== null) expect(seen).toContain(group.parent)
      seen.add(group.key)
    }
    expect(seen.size).toBe(DEMO_GROUPS.length)
  })

  it('draws every product as a small SVG in the colour of the text', () => {
    for (const { icon } of DEMO_PRODUCTS) {
      expect(icon).toMatch(/^<svg [^>]*stroke="currentColor"[^>]*><path d="[-MmLlHhVvCcSsAaZz0-9., ]+"\/><\/svg>$/)
      expect(icon.length).toBeLessThan(1_000)
    }
  })

  it('stands around Hangzhou', () => {
    for (const { lng, lat } of devices) {
      expect(Math.abs(lng - 120.17)).toBeLessThan(0.4)
      expect(Math.abs(lat - 30.27)).toBeLessThan(0.4)
    }
  })
})

it('the demo firmware is of its products, and what its devices run are versions of it', () => {
  const kinds = new Set(DEMO_PRODUCTS.map(product => product.kind))
  for (const item of DEMO_PACKAGES) {
    expect(kinds).toContain(item.product)
    expect(demoImage(item)).toHaveLength(item.bytes)
  }
  const greenhouse = new Set(DEMO_PACKAGES.filter(item => item.product === 'greenhouse').map(item => item.version))
  for (let place = 0; place < 12; place++)
    expect(greenhouse).toContain(demoFirmwareLife('greenhouse', place, null)?.version)
  expect(demoFirmwareLife('greenhouse', 0, '1.3.0')).toMatchObject({ version: '1.3.0' })
  expect(demoFirmwareLife('tank', 0, null)).toBeNull()
})
