import {
  address,
  choice,
  colour,
  type ElementKind,
  flag,
  type Look,
  number,
  RANGE,
  STYLE,
  text,
  VALUE,
} from './element.ts'
import { LAMPS, METERS } from './meters.ts'
import { qrOf } from './qr.ts'
import { circle, ellipse, line, onCircle, path, phrase, polygon, rect, round, type Shape, words } from './shape.ts'
import { bold, DIGITS, drawnEdge, EDGE, FILL, INK, LABEL, LIMITS, shown, UNIT, valueInk } from './widget-fields.ts'

const basic: ElementKind[] = (
  [
    [
      'rect',
      (l: Look) => [rect(1, 1, l.w - 2, l.h - 2, { fill: l.text('fill'), ...drawnEdge(l), rx: l.number('radius') })],
    ],
    [
      'ellipse',
      (l: Look) => [ellipse(l.w / 2, l.h / 2, l.w / 2 - 2, l.h / 2 - 2, { fill: l.text('fill'), ...drawnEdge(l) })],
    ],
    [
      'triangle',
      (l: Look) => [
        polygon(
          [
            [l.w / 2, 2],
            [l.w - 2, l.h - 2],
            [2, l.h - 2],
          ],
          { fill: l.text('fill'), ...drawnEdge(l) },
        ),
      ],
    ],
    [
      'diamond',
      (l: Look) => [
        polygon(
          [
            [l.w / 2, 2],
            [l.w - 2, l.h / 2],
            [l.w / 2, l.h - 2],
            [2, l.h / 2],
          ],
          { fill: l.text('fill'), ...drawnEdge(l) },
        ),
      ],
    ],
    [
      'hexagon',
      (l: Look) => [
        polygon(
          [0, 60, 120, 180, 240, 300].map(a => onCircle(l.w / 2, l.h / 2, Math.min(l.w, l.h) / 2 - 2, a)),
          { fill: l.text('fill'), ...drawnEdge(l) },
        ),
      ],
    ],
    [
      'star',
      (l: Look) => [
        polygon(
          Array.from({ length: 10 }, (_, i) =>
            onCircle(l.w / 2, l.h / 2, (Math.min(l.w, l.h) / 2 - 2) * (i % 2 ? 0.45 : 1), i * 36),
          ),
          { fill: l.text('fill'), ...drawnEdge(l) },
        ),
      ],
    ],
    ['line', (l: Look) => [line(0, l.h / 2, l.w, l.h / 2, drawnEdge(l))]],
    [
      'arrow',
      (l: Look) => [
        line(0, l.h / 2, l.w - 10, l.h / 2, drawnEdge(l)),
        polygon(
          [
            [l.w, l.h / 2],
            [l.w - 14, l.h / 2 - 8],
            [l.w - 14, l.h / 2 + 8],
          ],
          { fill: l.text('stroke') },
        ),
      ],
    ],
    [
      'panel',
      (l: Look) => [
        rect(0.5, 0.5, l.w - 1, l.h - 1, { fill: l.text('fill'), stroke: '#868e98', 'stroke-opacity': 0.35, rx: 8 }),
        words(18, 10 + l.number('size', 16) * 0.8, l.text('label'), l.number('size', 16), {
          ...bold,
          fill: l.text('ink'),
        }),
      ],
    ],
    [
      'header',
      (l: Look) => [
        rect(0, 0, l.w, l.h, { fill: l.text('fill') }),
        words(24, l.h / 2, l.text('label'), l.h * 0.42, { ...bold, fill: l.text('ink') }),
        words(l.w - 24, l.h / 2, l.text('note'), l.h * 0.24, {
          'text-anchor': 'end',
          fill: l.text('ink'),
          opacity: 0.75,
        }),
      ],
    ],
  ] as const
).map(([kind, draw]) => ({
  kind,
  group: 'basic',
  name: [kind],
  w: kind === 'header' ? 960 : kind === 'panel' ? 320 : kind === 'line' || kind === 'arrow' ? 160 : 100,
  h: kind === 'header' ? 64 : kind === 'panel' ? 200 : kind === 'line' || kind === 'arrow' ? 20 : 100,
  props:
    kind === 'panel' || kind === 'header'
      ? [
          LABEL,
          ...(kind === 'header' ? [text('note')] : [number('size', 16)]),
          INK,
          colour('fill', kind === 'panel' ? '#eceef2' : '#e4e7eb'),
        ]
      : [FILL, ...EDGE, ...(kind === 'rect' ? [number('radius', 0)] : [])],
  draw: draw as (look: Look) => Shape[],
  main: kind === 'panel' || kind === 'header' ? 'label' : 'fill',
}))

const texts: ElementKind[] = [
  {
    kind: 'text',
    group: 'text',
    name: ['text'],
    w: 160,
    h: 32,
    props: [
      { key: 'value', type: 'long', value: '' },
      number('size', 18),
      INK,
      flag('bold'),
      choice('align', 'left', ['left', 'center', 'right']),
    ],
    view: 'text',
    main: 'value',
  },
  {
    kind: 'number',
    group: 'text',
    name: ['number'],
    w: 160,
    h: 48,
    props: [
      VALUE,
      LABEL,
      UNIT,
      DIGITS,
      number('size', 28),
      choice('form', 'stacked', ['stacked', 'inline', 'spread']),
      ...LIMITS,
      STYLE,
    ],
    draw: look => {
      const size = look.number('size', 28)
      const label = look.text('label')
      const form = look.text('form')
      const grey = { fill: look.p.note }
      const small = Math.max(16, size * 0.5)
      const figure = [
        [shown(look), { 'font-size': size, ...bold, fill: valueInk(look) }],
        [look.text('unit'), { 'font-size': Math.max(14, size * 0.5), dx: size * 0.16, ...grey }],
      ] as const
      const y = look.h / 2
      if (form === 'inline')
        return [
          phrase(0, y, [
            [label, { 'font-size': Math.max(14, size * 0.9), ...grey }],
            [shown(look), { 'font-size': size, ...bold, fill: valueInk(look), ...(label ? { dx: size * 0.4 } : {}) }],
            [look.text('unit'), { 'font-size': Math.max(14, size * 0.8), dx: size * 0.2, ...grey }],
          ]),
        ]
      if (form === 'spread')
        return [
          words(0, y, label, Math.max(16, size * (size > 24 ? 0.55 : 0.9)), { fill: look.p.ink }),
          phrase(look.w, y, figure, { 'text-anchor': 'end' }),
        ]
      return [
        ...(label ? [words(0, small * 0.6 + 2, label, small, grey)] : []),
        phrase(0, label ? look.h - size * 0.62 : y, figure),
      ]
    },
    main: 'value',
  },
  {
    kind: 'stat',
    group: 'text',
    name: ['stat'],
    w: 220,
    h: 110,
    props: [VALUE, LABEL, UNIT, DIGITS, ...LIMITS, FILL, STYLE],
    draw: look => [
      rect(0.5, 0.5, look.w - 1, look.h - 1, {
        fill: look.text('fill'),
        stroke: '#868e98',
        'stroke-opacity': 0.35,
        rx: 8,
      }),
      words(18, 28, look.text('label'), Math.max(16, Math.min(22, look.h * 0.12)), { fill: look.p.note }),
      phrase(18, look.h * 0.52, [
        [shown(look), { 'font-size': Math.min(48, look.h * 0.3, look.w * 0.2), ...bold, fill: valueInk(look) }],
        [look.text('unit'), { 'font-size': Math.max(16, Math.min(22, look.h * 0.1)), dx: 8, fill: look.p.note }],
      ]),
    ],
    main: 'value',
  },
  {
    kind: 'digital',
    group: 'text',
    name: ['digital'],
    w: 180,
    h: 64,
    props: [VALUE, UNIT, DIGITS, colour('ink', '#3df5a0'), colour('fill', '#12201b')],
    draw: look => [
      rect(0, 0, look.w, look.h, { fill: look.text('fill'), rx: 6 }),
      words(look.w - 12, look.h / 2, `${shown(look)} ${look.text('unit')}`.trim(), look.h * 0.56, {
        'text-anchor': 'end',
        fill: look.text('ink'),
        'font-family': 'ui-monospace, monospace',
        ...bold,
      }),
    ],
    main: 'value',
  },
  {
    kind: 'state',
    group: 'text',
    name: ['state'],
    w: 140,
    h: 32,
    props: [
      { key: 'value', type: 'boolean', value: null },
      text('onText', '1'),
      text('offText', '0'),
      colour('onColour', '#575f6b'),
      colour('offColour', '#a9b0ba'),
      INK,
    ],
    draw: look => {
      const on = look.is('value')
      return [
        circle(10, look.h / 2, 7, { fill: look.text(on ? 'onColour' : 'offColour'), stroke: '#575f6b' }),
        words(26, look.h / 2, look.raw('value') === null ? '–' : look.text(on ? 'onText' : 'offText'), 16, {
          fill: look.text('ink'),
        }),
      ]
    },
    main: 'value',
  },
  {
    kind: 'clock',
    group: 'text',
    name: ['clock'],
    w: 180,
    h: 40,
    props: [choice('format', 'time', ['time', 'date', 'both']), number('size', 24), INK],
    view: 'clock',
    main: 'size',
  },
  {
    kind: 'marquee',
    group: 'text',
    name: ['marquee'],
    w: 320,
    h: 32,
    props: [text('value'), number('size', 18), INK],
    view: 'marquee',
    main: 'value',
  },
]

/** A QR code with the light edge that readers need; empty when the text is too long. @param size of its edge */
export function qrShapes(code: string, size: number, ink: string, fill: string): Shape[] {
  const rows = qrOf(code)
  if (!rows) return []
  const unit = size / (rows.length + 8)
  const at = (n: number) => round((n + 4) * unit)
  const runs = rows.flatMap((row, y) =>
    row.flatMap((dark, x) => {
      if (!dark || row[x - 1]) return []
      const end = row.indexOf(false, x)
      return `M${at(x)} ${at(y)}H${at(end === -1 ? row.length : end)}V${at(y + 1)}H${at(x)}Z`
    }),
  )
  return [rect(0, 0, size, size, { fill }), path(runs.join(''), { fill: ink, 'shape-rendering': 'crispEdges' })]
}
/** A value beside what it was, with an arrow. */
const trend: ElementKind = {
  kind: 'trend',
  group: 'text',
  name: ['trend'],
  w: 180,
  h: 48,
  props: [VALUE, number('a', null), UNIT, DIGITS, number('size', 24), STYLE],
  draw: look => {
    const now = look.value()
    const before = look.value('a')
    const size = look.number('size', 24)
    const up = now !== null && before !== null && now > before
    const down = now !== null && before !== null && now < before
    const y = look.h / 2
    return [
      ...(up
        ? [
            polygon(
              [
                [8, y + 7],
                [16, y - 7],
                [24, y + 7],
              ],
              { fill: look.p.edge },
            ),
          ]
        : []),
      ...(down
        ? [
            polygon(
              [
                [8, y - 7],
                [16, y + 7],
                [24, y - 7],
              ],
              { fill: look.p.edge },
            ),
          ]
        : []),
      ...(up || down ? [] : [rect(8, y - 2, 16, 4, { fill: look.p.edge })]),
      words(34, y, `${shown(look)} ${look.text('unit')}`.trim(), size, { ...bold, fill: look.p.value }),
    ]
  },
  main: 'value',
}
const view = (
  kind: string,
  group: ElementKind['group'],
  w: number,
  h: number,
  props: ElementKind['props'],
  main = 'value',
): ElementKind => ({
  kind,
  group,
  name: [kind],
  w,
  h,
  props,
  view: kind,
  main,
})

const charts: ElementKind[] = [
  view('chart', 'charts', 480, 260, [
    VALUE,
    LABEL,
    UNIT,
    number('hours', 24),
    ...LIMITS,
    colour('stroke', '#1b4396'),
    choice('form', 'line', ['line', 'area', 'bars']),
  ]),
  view('sparkline', 'charts', 160, 60, [VALUE, number('hours', 24), colour('stroke', '#1b4396')]),
  view(
    'pie',
    'charts',
    220,
    220,
    [
      number('a', null),
      number('b', null),
      number('c', null),
      number('d', null),
      text('labels', 'A,B,C,D'),
      choice('form', 'pie', ['pie', 'donut']),
    ],
    'a',
  ),
  view(
    'columns',
    'charts',
    320,
    220,
    [number('a', null), number('b', null), number('c', null), number('d', null), text('labels', 'A,B,C,D'), ...RANGE],
    'a',
  ),
  view('table', 'charts', 420, 220, [{ key: 'rows', type: 'long', value: '' }, LABEL], 'rows'),
  view('alarms', 'charts', 420, 260, [LABEL, number('rows', 8)], 'label'),
]

const controls: ElementKind[] = [
  view(
    'button',
    'controls',
    120,
    44,
    [text('label'), colour('fill', '#ffffff'), colour('ink', '#1d2129'), number('size', 16)],
    'label',
  ),
  view('switch', 'controls', 72, 40, [{ key: 'value', type: 'boolean', value: null }, text('label')]),
  view('slider', 'controls', 240, 44, [VALUE, ...RANGE, number('step', 1), UNIT]),
  view('stepper', 'controls', 180, 44, [VALUE, ...RANGE, number('step', 1), UNIT]),
  view('input', 'controls', 200, 44, [
    { key: 'value', type: 'text', value: null },
    text('label'),
    UNIT,
    choice('form', 'number', ['number', 'text']),
  ]),
  view('select', 'controls', 200, 44, [
    { key: 'value', type: 'text', value: null },
    { key: 'options', type: 'long', value: '0=0\n1=1' },
  ]),
  view('choices', 'controls', 280, 44, [
    { key: 'value', type: 'text', value: null },
    { key: 'options', type: 'long', value: '0=0\n1=1' },
  ]),
  view('timed-tasks', 'controls', 320, 220, [text('role'), LABEL], 'label'),
  view('device-switch', 'controls', 240, 44, [text('role'), LABEL], 'role'),
  view('hot-area', 'controls', 160, 100, [text('label')], 'label'),
  view('full-screen', 'controls', 44, 44, [INK], 'ink'),
]

const media: ElementKind[] = [
  view(
    'image',
    'media',
    240,
    160,
    [address('src'), choice('fit', 'contain', ['contain', 'cover', 'fill']), text('label')],
    'src',
  ),
  view('drawing', 'media', 160, 160, [{ key: 'drawing', type: 'drawing', value: '' }, text('label')], 'drawing'),
  { ...view('qr', 'media', 160, 160, [text('value'), INK, FILL]), square: true },
  view('video', 'media', 480, 270, [address('src'), flag('muted', true), flag('loop', true)], 'src'),
  view('camera', 'media', 480, 270, [text('channel'), LABEL], 'label'),
  view('frame', 'media', 480, 320, [address('url')], 'url'),
  view('nested-page', 'media', 480, 320, [text('suffix')], 'suffix'),
  view(
    'weather',
    'media',
    220,
    110,
    [number('temperature', null), text('sky'), number('humidity', null), text('place')],
    'temperature',
  ),
  view(
    'map',
    'media',
    480,
    320,
    [{ key: 'devices', type: 'long', value: '' }, number('lon', null), number('lat', null), text('label')],
    'lon',
  ),
]

export const WIDGETS: readonly ElementKind[] = [
  ...basic,
  ...texts,
  trend,
  ...METERS,
  ...LAMPS,
  ...charts,
  ...controls,
  ...media,
]
