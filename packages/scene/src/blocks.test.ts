import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import { emptyScene, newNode } from './scene.ts'
import { fromTemplate, TEMPLATES } from './templates/templates.ts'

describe('a page in a narrow window', () => {
  it.each(TEMPLATES)('%s is taken apart, and nothing of it is lost', name => {
    const scene = fromTemplate(name, 'en')
    const blocks = blocksOf(scene)!
    expect(blocks[0]!.kind).toBe('head')
    expect(blocks.length).toBeGreaterThan(4)
    expect(
      blocks
        .flatMap(({ nodes }) => nodes)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(scene.nodes.map(({ id }) => id).sort())
  })

  it('keeps a panel with what lies on it, and gives a chart the width there is', () => {
    const blocks = blocksOf({
      ...emptyScene('canvas'),
      nodes: [
        newNode('chart', 'chart', { x: 700, y: 110, w: 500, h: 300 }),
        newNode('panel', 'panel', { x: 100, y: 100, w: 500, h: 300 }),
        newNode('pump', 'pump-gear', { x: 200, y: 200 }),
        newNode('gone', 'text', { x: 0, y: 900, hidden: true }),
      ],
    })
    expect(blocks?.map(({ kind, nodes }) => [kind, nodes.map(({ id }) => id)])).toEqual([
      ['drawing', ['panel', 'pump']],
      ['single', ['chart']],
    ])
  })

  it('leaves one drawing whole', () => {
    const pipes = [1, 2, 3].map(n => newNode(`p${n}`, 'pipe-straight', { x: n * 100, y: 100 }))
    expect(blocksOf({ ...emptyScene('canvas'), nodes: pipes })).toBeNull()
    expect(blocksOf(emptyScene('canvas'))).toBeNull()
  })
})
