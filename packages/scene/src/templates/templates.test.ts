import { describe, expect, it } from 'vitest'
import { ELEMENT_KINDS, kindOf } from '../draw/catalogue.ts'
import { readScene } from '../read-scene.ts'
import { fromProduct, fromTemplate, type ShownProperty, TEMPLATES } from './templates.ts'

describe('a template', () => {
  it.each(TEMPLATES)('%s is a page that can be kept, of kinds and properties that there are', name => {
    const page = fromTemplate(name, 'en')
    expect(readScene(JSON.parse(JSON.stringify(page))).problems).toEqual([])
    for (const node of page.nodes) {
      const keys = kindOf(node.kind)?.props.map(({ key }) => key)
      expect(keys, node.kind).toBeDefined()
      for (const key of [...Object.keys(node.props), ...node.bind.map(({ prop }) => prop)])
        expect(keys, `${node.kind} ${key}`).toContain(key)
      expect(node.x + node.w, `${name} ${node.kind}`).toBeLessThanOrEqual(page.width)
      expect(node.y + node.h, `${name} ${node.kind}`).toBeLessThanOrEqual(page.height)
    }
  })

  it('has enough to be drawn with', () => {
    const symbols = ['tanks', 'pumps', 'valves', 'pipes', 'machines', 'instruments', 'electric', 'buildings', 'farm']
    expect(ELEMENT_KINDS.filter(({ group }) => symbols.includes(group)).length).toBeGreaterThanOrEqual(200)
    expect(ELEMENT_KINDS.filter(({ group }) => !symbols.includes(group)).length).toBeGreaterThanOrEqual(60)
    expect(new Set(ELEMENT_KINDS.map(({ kind }) => kind)).size).toBe(ELEMENT_KINDS.length)
  })
})

/** An id of a device or product. */
const ID = (letter: string) => `0190b6c2-7b1e-7aaa-8000-${letter.repeat(12)}`

describe('a first page for a product', () => {
  const number = (n: number, over: Partial<ShownProperty> = {}): ShownProperty => ({
    identifier: `v${n}`,
    name: `Value ${n}`,
    kind: 'number',
    writable: false,
    ...over,
  })
  const page = (properties: ShownProperty[], devices = [ID('a'), ID('b')]) =>
    fromProduct({ id: ID('c'), name: 'Pump', properties }, devices, 'en')
  const full = [
    ...Array.from({ length: 20 }, (_, n) => number(n, n % 2 ? { min: 0, max: 10 } : {})),
    number(20, { writable: true, min: 0, max: 50, step: 0.5, unit: 'Hz' }),
    ...Array.from({ length: 12 }, (_, n): ShownProperty => ({ ...number(30 + n), kind: 'bool', writable: true })),
    {
      ...number(50),
      kind: 'enum',
      writable: true,
      items: [
        { value: 0, name: "It's manual" },
        { value: 1, name: 'Automatic' },
      ],
    } satisfies ShownProperty,
  ]

  it.each([
    ['of everything', full],
    ['of nothing', []],
    ['of one number', full.slice(0, 1)],
    ['of one switch', full.slice(21, 22)],
    ['of a choice', full.slice(-1)],
  ])('%s can be kept, and stays inside its page', (_, properties) => {
    const scene = page(properties)
    expect(readScene(JSON.parse(JSON.stringify(scene))).problems).toEqual([])
    for (const { kind, x, y, w, h } of scene.nodes) {
      expect(kindOf(kind), kind).toBeDefined()
      expect([w > 20, h > 10, x + w <= scene.width, y + h <= scene.height], kind).toEqual([true, true, true, true])
    }
  })

  it('writes only what devices take, within its limits, and lets the device be chosen', () => {
    const scene = page(full)
    expect(scene.roles).toMatchObject([{ productId: ID('c'), deviceId: ID('a'), choices: [ID('a'), ID('b')] }])
    const written = scene.nodes.flatMap(({ events }) => events.map(({ point, min, max }) => [point, min, max]))
    expect(written).toHaveLength(6)
    expect(written).toContainEqual(['v20', 0, 50])
    expect(page(full, [ID('a')]).nodes.some(({ kind }) => kind === 'device-switch')).toBe(false)
  })
})
