import { describe, expect, it } from 'vitest'
import { ExpressionError, evaluate, parseExpression, pointsOf } from './expression.ts'
import { raised } from './migrate.ts'
import { isAllowedSource, readScene } from './read-scene.ts'
import { emptyScene, newNode, type Scene } from './scene.ts'
import { sceneSignals, shownNode } from './values.ts'

const values: Record<string, unknown> = { 'pump.hz': 42.5, 'pump.on': true, 'tank.level': '2.5', 'tank.name': 'T-101' }
const value = (text: string) => evaluate(parseExpression(text), (role, point) => values[`${role}.${point}`])

describe('an expression', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 2 - 3', 5],
    ['-pump.hz + 2.5', -40],
    ['pump.on ? "on" : "off"', 'on'],
    ['!pump.on', false],
    ['tank.level >= 2.5 && pump.hz < 50', true],
    ['round(tank.level * 33.333, 1)', 83.3],
    ['clamp(pump.hz, 0, 40)', 40],
    ['bit(5, 1)', 0],
    ['bit(5, 2)', 1],
    ['tank.name + " " + text(tank.level, 2)', 'T-101 2.50'],
    ['pump.on == 1', true],
    ['1 / 0', null],
    ['nobody.at + 1', null],
    ['or(nobody.at, 7)', 7],
    ['tank.name - 1', null],
  ])('%s is %s', (text, result) => expect(value(text)).toBe(result))

  it.each([
    ['', 'end', 0],
    ['1 +', 'end', 3],
    ['pump', 'end', 4],
    ['1 2', 'unexpected', 2],
    ['constructor("alert(1)")', 'function', 0],
    ['max()', 'arguments', 0],
    ['a.b; alert(1)', 'character', 3],
    ['"open', 'end', 5],
    ['1.2.3', 'number', 0],
    ['a.b.', 'end', 4],
    ['a.b.c.d.e.f', 'unexpected', 9],
    ['('.repeat(60), 'too_deep', 41],
    ['1'.repeat(501), 'too_long', 500],
  ])('%s is refused: %s', (text, reason, at) => {
    const read = () => parseExpression(text)
    expect(read).toThrow(ExpressionError)
    try {
      read()
    } catch (error) {
      expect(error).toMatchObject({ reason, at })
    }
  })

  it('reaches no property of an object', () => {
    expect(value('pump.constructor')).toBeNull()
    expect(value('pump.__proto__')).toBeNull()
    expect(pointsOf(parseExpression('max(a.x, b.y ? c.z : 1)'))).toHaveLength(3)
  })
})

function scene(over: Partial<Scene> = {}): Scene {
  return {
    ...emptyScene('canvas'),
    roles: [{ key: 'pump', name: 'Pump', productId: null, deviceId: null, choices: [] }],
    nodes: [
      newNode('a', 'number', {
        bind: [{ prop: 'value', source: { from: 'property', role: 'pump', point: 'hz' } }],
        effects: [
          { effect: 'colour', source: { from: 'alarm', role: 'pump' }, when: 'gte', value: 4, colour: '#fa541c' },
        ],
        events: [{ on: 'click', do: 'toggle', role: 'pump', point: 'on' }],
      }),
    ],
    ...over,
  }
}

describe('a scene from outside', () => {
  it('is read as it was written', () => {
    const written = scene()
    expect(readScene(JSON.parse(JSON.stringify(written)))).toEqual({ scene: written, problems: [] })
    expect([...sceneSignals(written).keys()].sort()).toEqual(['pump!alarm', 'pump.hz', 'pump.on'])
  })

  it.each([
    ['no object', 7, '', 'type'],
    ['a later version', { ...scene(), v: 99 }, 'v', 'later_version'],
    ['no version', { ...scene(), v: undefined }, 'v', 'version'],
    ['a size that is none', { ...scene(), width: 'wide' }, 'width', 'type'],
    [
      'too many nodes',
      { ...scene(), nodes: Array.from({ length: 2001 }, (_, i) => ({ id: `n${i}`, kind: 'text' })) },
      'nodes',
      'too_many',
    ],
    ['one id twice', { ...scene(), nodes: [newNode('a', 'text'), newNode('a', 'text')] }, 'nodes.1.id', 'twice'],
    ['a role that is not there', { ...scene(), roles: [] }, 'nodes.0.bind.0.source.role', 'role_unknown'],
    [
      'a group that is not there',
      { ...scene(), nodes: [newNode('a', 'text', { group: 'g' })] },
      'nodes.0.group',
      'group_unknown',
    ],
    [
      'groups in a circle',
      { ...scene(), nodes: [newNode('a', 'group', { group: 'b' }), newNode('b', 'group', { group: 'a' })] },
      'nodes.0.group',
      'group_circle',
    ],
    [
      'an address that runs',
      { ...scene(), nodes: [newNode('a', 'image', { props: { src: 'javascript:alert(1)' } })] },
      'nodes.0.props.src',
      'address',
    ],
    [
      'an expression that is none',
      {
        ...scene(),
        nodes: [
          newNode('a', 'number', { bind: [{ prop: 'value', source: { from: 'expression', text: 'pump.hz +' } }] }),
        ],
      },
      'nodes.0.bind.0.source.text',
      'expression',
    ],
    ['a colour that is none', { ...scene(), background: 'url(https://x.example)' }, 'background', 'colour'],
  ])('with %s is refused with the place', (_name, input, path, code) => {
    const { scene: read, problems } = readScene(input)
    expect(read).toBeNull()
    expect(problems[0]).toMatchObject({ path, code })
  })

  it('is raised step by step, and never lowered', () => {
    const steps = [
      (d: Record<string, unknown>) => ({ ...d, first: true }),
      (d: Record<string, unknown>) => ({ ...d, second: d.first }),
    ]
    expect(raised({ v: 1 }, steps)).toEqual({ document: { v: 3, first: true, second: true } })
    expect(raised({ v: 2 }, steps)).toEqual({ document: { v: 3, second: undefined } })
    expect(raised({ v: 4 }, steps)).toEqual({ code: 'later', version: 4 })
  })
})

describe('an element', () => {
  const look = (known: Record<string, unknown>) => (key: string) =>
    key in known ? { v: known[key], ts: 0, q: 'good' as const } : undefined

  it('shows its values and does what they ask for', () => {
    const [node] = scene().nodes
    expect(shownNode(node!, look({ 'pump.hz': 42.5, 'pump!alarm': 4 }))).toMatchObject({
      props: { value: 42.5 },
      colour: '#fa541c',
      visible: true,
    })
    expect(shownNode(node!, look({}))).toMatchObject({ props: { value: null }, colour: null })
  })

  it('shows a part of a value: a side of a place, a field of a struct', () => {
    const known = { 'pump.pos': { lng: 114.06, lat: 22.54 }, 'pump.motor': { drive: { hz: 42 } }, 'pump.text': 'pos' }
    const bind = ['pos.lat', 'motor.drive.hz', 'pos.none', 'pos.constructor', 'text.length'].map((point, i) => ({
      prop: 'abcde'[i]!,
      source: { from: 'property', role: 'pump', point } as const,
    }))
    const sum = { from: 'expression', text: 'pump.motor.drive.hz * 2 + pump.pos.lng' } as const
    const page = scene({ nodes: [newNode('a', 'number', { bind: [...bind, { prop: 'f', source: sum }] })] })
    const { scene: read, problems } = readScene(JSON.parse(JSON.stringify(page)))
    expect(problems).toEqual([])
    // The whole property is asked for, once.
    expect([...sceneSignals(read!).keys()].sort()).toEqual(['pump.motor', 'pump.pos', 'pump.text'])
    expect(shownNode(read!.nodes[0]!, look(known)).props).toEqual({
      ...{ a: 22.54, b: 42, c: null, d: null, e: null },
      f: 198.06,
    })
  })

  it.each(['pos.', '.lat', 'pos..lat', 'a.b.c.d.e', 'pos.l at'])('of %s is refused', point => {
    const source = { from: 'property', role: 'pump', point } as const
    const { problems } = readScene(scene({ nodes: [newNode('a', 'number', { bind: [{ prop: 'value', source }] })] }))
    expect(problems[0]).toMatchObject({ path: 'nodes.0.bind.0.source.point', code: 'word' })
  })

  it('writes whole properties only', () => {
    const events = [{ on: 'click', do: 'set', role: 'pump', point: 'pos.lat', value: 1 } as const]
    expect(readScene(scene({ nodes: [newNode('a', 'button', { events })] })).problems[0]).toMatchObject({
      path: 'nodes.0.events.0.point',
    })
  })

  it('maps values by ranges, scales and bits', () => {
    const source = { from: 'property', role: 'pump', point: 'hz' } as const
    const node = newNode('a', 'text', {
      bind: [
        { prop: 'a', source, map: { kind: 'ranges', items: [{ min: 0, max: 50, value: 'low' }], otherwise: 'high' } },
        { prop: 'b', source, map: { kind: 'scale', from: [0, 50], to: [0, 100] } },
        { prop: 'c', source, map: { kind: 'bit', bit: 1 } },
      ],
    })
    expect(shownNode(node, look({ 'pump.hz': 42 })).props).toEqual({ a: 'low', b: 84, c: 1 })
    expect(shownNode(node, look({ 'pump.hz': 50 })).props).toMatchObject({ a: 'high' })
  })
})

describe('a picture or a frame', () => {
  it('comes from this server or from a host that the page names', () => {
    expect(isAllowedSource('/media/a.png', [])).toBe(true)
    expect(isAllowedSource('//evil.example/a.png', ['evil.example'])).toBe(false)
    expect(isAllowedSource('https://cams.example/a', ['cams.example'])).toBe(true)
    expect(isAllowedSource('https://evil.example/a', ['cams.example'])).toBe(false)
    expect(isAllowedSource('data:text/html,<script>alert(1)</script>', ['cams.example'])).toBe(false)
  })
})
