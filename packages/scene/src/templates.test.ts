import { describe, expect, it } from 'vitest'
import { ELEMENT_KINDS, kindOf } from './draw/catalogue.ts'
import { readScene } from './read-scene.ts'
import { fromTemplate, TEMPLATES } from './templates.ts'

describe('a template', () => {
  it.each(TEMPLATES)('%s is a page that can be kept, of kinds and properties that there are', name => {
    const page = fromTemplate(name, key => key)
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
