import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readScene } from '../read-scene.ts'
import { fromFuxa } from './from-fuxa.ts'
import { isFuxaProject } from './fuxa-project.ts'
import { boxOf, readSvg, UNMOVED } from './svg-tree.ts'

/** Two views of the demo project that FUXA brings along, cut down; device and names are others. */
const EXCERPT = JSON.parse(readFileSync(new URL('./demo-excerpt.json', import.meta.url), 'utf8'))

describe('a project of FUXA', () => {
  const { pages, left, tags } = fromFuxa(EXCERPT, 'line')
  const [overview, details] = pages

  it('is known by what it holds, and a page is none', () => {
    expect(isFuxaProject(EXCERPT)).toBe(true)
    expect(isFuxaProject({ name: 'Page', scene: {} })).toBe(false)
    expect(isFuxaProject([])).toBe(false)
  })

  it('becomes a page for each view, which can be kept', () => {
    expect(pages.map(({ name, suffix, scene }) => [name, suffix, scene.width, scene.height, scene.background])).toEqual(
      [
        ['Overview', 'line', 1200, 800, '#ffffffff'],
        ['Details', 'line-2', 340, 230, '#d8d8d8ff'],
      ],
    )
    for (const { scene } of pages) expect(readScene(JSON.parse(JSON.stringify(scene))).problems).toEqual([])
  })

  it('keeps elements where they were, bound to what stands for their tags', () => {
    const { nodes, roles } = overview!.scene
    expect(roles).toMatchObject([{ key: 'line_plc', name: 'Line PLC', deviceId: null }])
    const of = (kind: string) => nodes.filter(node => node.kind === kind)
    const source = (point: string) => ({ from: 'property', role: 'line_plc', point })
    expect(of('number')).toMatchObject([
      { name: 'W1', props: { unit: 'rpm' }, bind: [{ prop: 'value', source: source('Word_1') }] },
    ])
    expect(of('select')).toMatchObject([
      {
        ...{ x: 236, y: 704, w: 80, h: 26 },
        props: { options: '0=OFF\n255=ON' },
        events: [{ on: 'change', do: 'set', role: 'line_plc', point: 'Word_1' }],
      },
    ])
    expect(of('button')).toMatchObject([
      {
        ...{ x: 104, y: 425, w: 44, h: 24 },
        props: { label: 'ON' },
        events: [{ on: 'click', do: 'set', role: 'line_plc', point: 'Byte_5', value: 255 }],
      },
    ])
    expect(of('level')).toMatchObject([{ props: { min: 0, max: 260 }, bind: [{ source: source('Byte_1') }] }])
    expect(of('input')).toMatchObject([{ bind: [{ source: source('Int_5') }], events: [{ do: 'set' }] }])
    expect(of('chart')).toMatchObject([{ x: 690, y: 70, w: 476, h: 208, bind: [{ source: source('Byte_1') }] }])
    // A lamp takes the colours of its ranges, with their upper ends in them.
    expect(of('ellipse')[0]!.bind).toMatchObject([
      {
        prop: 'fill',
        map: {
          kind: 'ranges',
          items: [
            { min: 1, value: '#0ac97d' },
            { min: 0, value: '#7f7f7f' },
          ],
        },
      },
    ])
    // What has no equal stays a drawing that its value marks.
    const valve = nodes.find(node => node.name === 'B5')!
    expect(valve).toMatchObject({
      kind: 'drawing',
      effects: [
        { effect: 'colour', source: source('Byte_5'), when: 'between', value: 0, to: 125, colour: '#ff0000' },
        { effect: 'colour', when: 'between', value: 126, to: 255, colour: '#00b050' },
      ],
    })
    expect(valve.x).toBeGreaterThan(120)
    expect(valve.x + valve.w).toBeLessThan(180)
    expect(details!.scene.nodes.map(({ kind }) => kind)).toEqual(['drawing'])
    // The rest lies below and between, in its order: the rectangles first, as they were drawn.
    expect(nodes[0]).toMatchObject({ kind: 'drawing', bind: [] })
    expect(String(nodes[0]!.props.drawing)).toContain('svg_71846b7f')
  })

  it('says what is left out, and which properties are needed', () => {
    expect(left).toContainEqual({ view: 'Overview', name: 'B5', reason: 'colour', what: '' })
    expect(left.filter(({ reason }) => reason === 'tag')).toEqual([
      { view: 'Overview', name: 'Press', reason: 'tag', what: 'ns=2;s=Demo.Static.Scalar.Byte' },
    ])
    expect(tags).toContainEqual({
      ...{ role: 'line_plc', device: 'Line PLC', tag: 'Word 1', point: 'Word_1', type: 'Word' },
    })
  })
})

/** A view with one item and its drawing. @param over of the item */
const project = (over: object, svg: string, rest: object = {}) => ({
  devices: { d1: { name: '泵 1', tags: { t_1: { id: 't_1', name: '液位', type: 'number' } } } },
  hmi: {
    views: [
      {
        ...{ id: 'v1', name: 'Main', profile: { width: 800, height: 600 } },
        items: { A: { id: 'A', name: 'Tank', property: {}, ...over } },
        svgcontent: `<svg width="800" height="600"><g><title>Layer 1</title>${svg}</g></svg>`,
      },
    ],
  },
  ...rest,
})

describe('what cannot be taken over', () => {
  it('is named with its reason, and scripts never come along', () => {
    const { pages, left } = fromFuxa(
      project(
        {
          type: 'svg-ext-proceng-tank1',
          property: {
            ...{ variableId: 't_1', bitmask: 4, permission: 2 },
            ranges: [{ type: 'range', min: 1, max: 5, color: '#ff0000' }],
            actions: [
              { type: 'blink', variableId: 't_1', range: { min: 1, max: 1 } },
              { type: 'rotate', variableId: 't_1', range: { min: 0, max: 1 } },
              { type: 'shapes.action-hide', variableId: 't_9', range: { min: 0, max: 0 } },
            ],
            events: [
              { type: 'click', action: 'onRunScript', actparam: 's_1' },
              {
                type: 'click',
                action: 'onSetValue',
                actparam: '5',
                actoptions: { variableId: 't_1', function: 'add' },
              },
              { type: 'click', action: 'onpage', actparam: 'v_9' },
              { type: 'dblclick', action: 'oniframe', actparam: 'https://evil.example' },
            ],
          },
        },
        '<g id="A" onload="alert(1)"><rect x="10" y="20" width="30" height="40"/><script>alert(1)</script></g><image id="logo" href="https://evil.example/x.png" width="9" height="9"/>',
        {
          scripts: [{ id: 's_1', name: 'Start all', code: 'alert(1)' }],
          alarms: [{ name: 'High' }],
          reports: [{ name: 'Daily' }],
        },
      ),
      'plant',
    )
    const [scene] = pages.map(page => page.scene)
    expect(JSON.stringify(pages)).not.toContain('Start all')
    const tank = scene!.nodes.find(node => node.name === 'Tank')!
    expect(tank.effects.map(({ effect }) => effect)).toEqual(['blink', 'colour'])
    expect(tank.events).toEqual([{ on: 'click', do: 'add', role: '_1', point: '液位', value: 5 }])
    expect(left.map(({ name, reason, what }) => [name, reason, what])).toEqual([
      ['Start all', 'script', ''],
      ['High', 'alarm', ''],
      ['Daily', 'report', ''],
      ['Tank', 'roles', ''],
      ['Tank', 'action', 'rotate'],
      ['Tank', 'tag', 't_9'],
      ['Tank', 'script', 's_1'],
      ['Tank', 'view', 'v_9'],
      ['Tank', 'event', 'oniframe'],
      ['Tank', 'colour', ''],
      ['script', 'script', ''],
      ['logo', 'picture', ''],
    ])
  })

  it.each([
    ['svg-ext-own_ctrl-iframe', 'address'],
    ['svg-ext-own_ctrl-video', 'address'],
    ['svg-ext-own_ctrl-scheduler', 'kind'],
    ['svg-ext-html_graph-pie', 'kind'],
  ])('%s is left out: %s', (type, reason) => {
    const { pages, left } = fromFuxa(project({ type }, '<g id="A"><rect width="9" height="9"/></g>'), 'plant')
    expect(left).toEqual([{ view: 'Main', name: 'Tank', reason, what: type }])
    expect(pages[0]!.scene.nodes).toEqual([])
  })

  it('a drawing that is none, a view of cards, a file that holds nothing', () => {
    const broken = fromFuxa(project({ type: 'svg-ext-value' }, '<g id="A">'), 'plant')
    expect(broken.left).toEqual([{ view: 'Main', name: 'Main', reason: 'drawing', what: '' }])
    const cards = fromFuxa({ hmi: { views: [{ id: 'c', name: 'Cards', type: 'editor.view-cards' }] } }, 'plant')
    expect(cards).toMatchObject({ pages: [], left: [{ name: 'Cards', reason: 'view', what: 'cards' }] })
    expect(fromFuxa({ hmi: { views: 7 } }, 'plant')).toEqual({ pages: [], left: [], tags: [] })
    expect(fromFuxa(null, 'plant').pages).toEqual([])
  })

  it('a drawing that is too long is cut into several, and one that cannot be cut is named', () => {
    const shape = `<path d="M0 0${'L1 1'.repeat(2_000)}"/>`
    const many = fromFuxa(project({ type: 'none' }, shape.repeat(20)), 'plant')
    expect(many.left).toEqual([])
    expect(many.pages[0]!.scene.nodes.length).toBeGreaterThan(1)
    expect(readScene(many.pages[0]!.scene).problems).toEqual([])
    const one = fromFuxa(project({ type: 'none' }, `<path d="M0 0${'L1 1'.repeat(40_000)}"/>`), 'plant')
    expect(one.left).toEqual([{ view: 'Main', name: 'Main', reason: 'drawing', what: '' }])
  })
})

describe('the room of a drawing', () => {
  it.each([
    ['<rect x="1" y="2" width="3" height="4"/>', { x: 1, y: 2, w: 3, h: 4 }],
    ['<g transform="translate(10,20)"><circle cx="5" cy="5" r="5"/></g>', { x: 10, y: 20, w: 10, h: 10 }],
    ['<rect x="0" y="0" width="10" height="20" transform="rotate(90 0 0)"/>', { x: -20, y: 0, w: 20, h: 10 }],
    ['<path d="M10 10h20v-5l-5,-5z"/>', { x: 10, y: 0, w: 20, h: 10 }],
    ['<path d="M0,0C10,0 10,10 20,10"/>', { x: 0, y: 0, w: 20, h: 10 }],
    ['<polyline points="1,2 3,4 5 0"/>', { x: 1, y: 0, w: 4, h: 4 }],
  ])('%s', (svg, box) => {
    const found = boxOf(readSvg(`<svg>${svg}</svg>`)!, UNMOVED)!
    for (const key of ['x', 'y', 'w', 'h'] as const) expect(found[key]).toBeCloseTo(box[key], 6)
  })
})
