import { describe, expect, it } from 'vitest'
import { drawn, ELEMENT_KINDS } from './draw/catalogue.ts'
import type { Shape } from './draw/shape.ts'
import { isDark, suitedToPlace, withBackground } from './ground.ts'
import { emptyScene, newNode, type Scalar, type Scene, type SceneNode } from './scene.ts'

const NIGHT = '#161d26'
const DAY = '#dde1e6'
const page = (...nodes: SceneNode[]): Scene => ({ ...emptyScene('canvas'), nodes })
const propsOf = (scene: Scene) => Object.fromEntries(scene.nodes.map(({ id, props }) => [id, props]))
const at = (id: string, kind: string, props: Record<string, Scalar> = {}, over: Partial<SceneNode> = {}) =>
  newNode(id, kind, { props, ...over })

describe('dark and light backgrounds', () => {
  it('are told apart as they are read', () => {
    expect(['#000', NIGHT, '#1B4396', '#0b5ed7ff', '#cf1322'].map(isDark)).toEqual(Array(5).fill(true))
    expect(['#fff', DAY, '#FAAD14', '#00a870', '#868e98'].map(isDark)).toEqual(Array(5).fill(false))
    expect(['', 'navy', '#12', '#12345g', 'url(#a)'].map(isDark)).toEqual(Array(5).fill(false))
  })

  it('are followed by what has its usual colours, and back again', () => {
    const before = page(
      at('title', 'text', { value: 'Pump', ink: '#1d2129' }),
      at('flow', 'number', { style: 'grey' }),
      at('pump', 'pump-gear', {}),
      at('clock', 'clock', {}),
      at('card', 'panel', { label: 'Tank' }),
    )
    const dark = withBackground(before, NIGHT)
    expect(propsOf(dark)).toEqual({
      title: { value: 'Pump', ink: '#eef2f7' },
      flow: { style: 'dark' },
      pump: { style: 'dark' },
      clock: { ink: '#eef2f7' },
      card: { label: 'Tank', ink: '#eef2f7', fill: '#252d38' },
    })
    const back = withBackground(dark, '#ffffff')
    expect(back.background).toBe('#ffffff')
    for (const { id, kind, props } of back.nodes) {
      const first = before.nodes.find(node => node.id === id)!
      expect(drawn(kind, props, 100, 100)).toEqual(drawn(kind, first.props, 100, 100))
    }
    expect(back.nodes.find(({ id }) => id === 'title')!.props.ink).toBe('#1d2129')
  })

  it('leave colours that were chosen, and another colour of the same kind of page changes nothing', () => {
    const before = page(
      at('red', 'text', { ink: '#cf1322' }),
      at('blue', 'gauge', { style: 'colour' }),
      at('qr', 'qr', { ink: '#1d2129', fill: '#ffffff' }),
    )
    expect(withBackground(before, NIGHT).nodes).toEqual(before.nodes)
    const text = page(at('a', 'text', { ink: '#1d2129' }))
    expect(withBackground(text, '#ffffff').nodes).toBe(text.nodes)
  })

  it('do not reach what lies on a colour of its own', () => {
    const card = { x: 100, y: 100, w: 300, h: 200 }
    const inside = { x: 120, y: 120, w: 80, h: 40 }
    const scene = withBackground(
      page(
        at('card', 'rect', { fill: '#f0f7ff' }, card),
        at('on', 'text', { ink: '#1d2129' }, inside),
        at('beside', 'text', { ink: '#1d2129' }, { ...inside, x: 500 }),
        at('hidden', 'rect', { fill: '#f0f7ff' }, { ...card, x: 500, hidden: true }),
        at('panel', 'panel', {}, { ...card, y: 400 }),
        at('in panel', 'number', {}, { ...inside, y: 420 }),
        at('chart', 'chart', {}, inside),
        at('grey card', 'stat', { fill: '#eceef2', style: 'grey' }, { x: 900 }),
        at('own card', 'stat', { fill: '#f0f7ff', style: 'grey' }, { x: 1200 }),
        at('blue', 'text', { ink: '#1b4396' }, { x: 1500 }),
      ),
      NIGHT,
    )
    const props = propsOf(scene)
    expect(props.on).toEqual({ ink: '#1d2129' })
    expect(props.beside).toEqual({ ink: '#eef2f7' })
    expect(props.panel).toEqual({ ink: '#eef2f7', fill: '#252d38' })
    expect(props['in panel']).toEqual({ style: 'dark' })
    // Its box is dark wherever it lies on a dark page.
    expect(props.chart).toEqual({ stroke: '#8ab8ff' })
    expect(props['grey card']).toEqual({ fill: '#252d38', style: 'dark' })
    expect(props['own card']).toEqual({ fill: '#f0f7ff', style: 'grey' })
    expect(props.blue).toEqual({ ink: '#8ab8ff' })
  })

  it('keep every word of every element readable', () => {
    const SAMPLE = { value: 60, on: true, label: 'A', unit: 'm', note: 'B', a: 3, low: 10, high: 50 }
    for (const [background, dark] of [
      [NIGHT, true],
      [DAY, false],
    ] as const)
      for (const on of [true, false])
        for (const kind of ELEMENT_KINDS) {
          const { props } = suitedToPlace(newNode('a', kind.kind, { props: { ...SAMPLE, on } }), background, [])
          for (const { word, ink, below } of wordsOf(drawn(kind.kind, props, kind.w, kind.h), background))
            expect
              .soft(contrast(ink, below), `${kind.kind} ${dark ? 'dark' : 'light'} ${word}: ${ink} on ${below}`)
              .toBeGreaterThanOrEqual(3)
        }
  })
})

/** Words of a drawing with their colour, and the colour of the last filled shape whose middle they are on. */
function wordsOf(shapes: readonly Shape[], background: string) {
  const found: { word: string; ink: string; below: string }[] = []
  const filled: { x: number; y: number; w: number; h: number; fill: string }[] = []
  const number = (value: unknown) => Number(value ?? 0)
  const read = (shape: Shape, above: Shape['a']) => {
    const a = { ...above, ...shape.a }
    if (shape.t === 'text' || shape.t === 'tspan') {
      if (shape.text) {
        const below = filled.findLast(
          ({ x, y, w, h }) => number(a.x) >= x && number(a.x) <= x + w && number(a.y) >= y && number(a.y) <= y + h,
        )
        found.push({ word: shape.text, ink: String(a.fill), below: below?.fill ?? background })
      }
    } else if (typeof a.fill === 'string' && a.fill !== 'none') {
      const fill = a.fill
      if (shape.t === 'rect')
        filled.push({ x: number(a.x), y: number(a.y), w: number(a.width), h: number(a.height), fill })
      if (shape.t === 'circle')
        filled.push({
          x: number(a.cx) - number(a.r),
          y: number(a.cy) - number(a.r),
          w: 2 * number(a.r),
          h: 2 * number(a.r),
          fill,
        })
    }
    for (const inner of shape.c ?? []) read(inner, shape.t === 'text' ? a : {})
  }
  for (const shape of shapes) read(shape, {})
  return found
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map(i => {
    const share = Number.parseInt(colour.slice(i, i + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
