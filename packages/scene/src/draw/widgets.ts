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
  share,
  shownNumber,
  text,
  VALUE,
} from './element.ts'
import { qrOf } from './qr.ts'
import {
  arc,
  circle,
  ellipse,
  group,
  line,
  onCircle,
  path,
  phrase,
  polygon,
  rect,
  round,
  type Shape,
  words,
} from './shape.ts'

const DIGITS = number('digits', 1)
const UNIT = text('unit')
const LABEL = text('label')
const INK = colour('ink', '#1d2129')
const FILL = colour('fill', '#ffffff')
const EDGE = [colour('stroke', '#6b7480'), number('thickness', 2)] as const
const LIMITS = [number('low', null), number('high', null)] as const

const middle = { 'text-anchor': 'middle' }
const bold = { 'font-weight': 700 }
const drawnEdge = (look: Look) => ({ stroke: look.text('stroke'), 'stroke-width': look.number('thickness', 2) })
const shown = (look: Look) => shownNumber(look.value(), look.number('digits', 1))

/** Out of the limits that were set. */
function isOut(look: Look): boolean {
  const value = look.value()
  const low = look.value('low')
  const high = look.value('high')
  return value !== null && ((low !== null && value < low) || (high !== null && value > high))
}
const valueInk = (look: Look) => (isOut(look) ? '#c22f12' : look.p.value)

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
        rect(0.5, 0.5, l.w - 1, l.h - 1, { fill: l.text('fill'), stroke: '#d3d7dd', rx: 8 }),
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
        words(l.w - 24, l.h / 2, l.text('note'), l.h * 0.24, { 'text-anchor': 'end', fill: '#575f6b' }),
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
      const grey = { fill: '#575f6b' }
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
      rect(0.5, 0.5, look.w - 1, look.h - 1, { fill: look.text('fill'), stroke: '#d3d7dd', rx: 8 }),
      words(18, 28, look.text('label'), Math.max(16, Math.min(22, look.h * 0.12)), { fill: '#575f6b' }),
      phrase(18, look.h * 0.52, [
        [shown(look), { 'font-size': Math.min(48, look.h * 0.3, look.w * 0.2), ...bold, fill: valueInk(look) }],
        [look.text('unit'), { 'font-size': Math.max(16, Math.min(22, look.h * 0.1)), dx: 8, fill: '#575f6b' }],
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
    ],
    draw: look => {
      const on = look.is('value')
      return [
        circle(10, look.h / 2, 7, { fill: look.text(on ? 'onColour' : 'offColour'), stroke: '#575f6b' }),
        words(26, look.h / 2, look.raw('value') === null ? '–' : look.text(on ? 'onText' : 'offText'), 16, {
          fill: '#1d2129',
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

function ticks(look: Look, cx: number, cy: number, r: number, from: number, to: number): Shape[] {
  const min = look.number('min')
  const max = look.number('max', 100)
  const digits = Math.abs(max - min) < 10 ? 1 : 0
  return Array.from({ length: 6 }, (_, i) => {
    const at = from + ((to - from) * i) / 5
    const [x1, y1] = onCircle(cx, cy, r, at)
    const [x2, y2] = onCircle(cx, cy, r - 7, at)
    const [x, y] = onCircle(cx, cy, r - 20, at)
    return group([
      line(x1, y1, x2, y2, { stroke: '#868e98' }),
      words(x, y, shownNumber(round(min + ((max - min) * i) / 5), digits), 12, { ...middle, fill: '#575f6b' }),
    ])
  })
}

/** The part of a range that is normal, as shares of it. */
function normal(look: Look): [number, number] | null {
  if (look.value('low') === null && look.value('high') === null) return null
  return [look.value('low') === null ? 0 : share(look, 'low'), look.value('high') === null ? 1 : share(look, 'high')]
}

const METER = [VALUE, LABEL, UNIT, DIGITS, ...RANGE, ...LIMITS, STYLE] as const
const meter = (kind: string, w: number, h: number, draw: (look: Look) => Shape[], square = false): ElementKind => ({
  kind,
  group: 'meters',
  name: [kind],
  w,
  h,
  props: METER,
  draw,
  main: 'value',
  ...(square ? { square } : {}),
})

function dial(look: Look, from: number, to: number): Shape[] {
  const r = Math.min(look.w, look.h) / 2 - 6
  const cx = look.w / 2
  const cy = look.h / 2
  const at = from + (to - from) * share(look)
  const band = normal(look)
  const [nx, ny] = onCircle(cx, cy, r - 14, at)
  const [lx, ly] = onCircle(cx, cy, 6, at - 90)
  const [rx, ry] = onCircle(cx, cy, 6, at + 90)
  return [
    path(arc(cx, cy, r, from, to), { fill: 'none', stroke: look.p.shade, 'stroke-width': 8 }),
    ...(band
      ? [
          path(arc(cx, cy, r, from + (to - from) * band[0], from + (to - from) * band[1]), {
            fill: 'none',
            stroke: look.p.fluid,
            'stroke-width': 8,
          }),
        ]
      : []),
    ...ticks(look, cx, cy, r - 6, from, to),
    ...(look.value() === null
      ? []
      : [
          polygon(
            [
              [nx, ny],
              [lx, ly],
              [rx, ry],
            ],
            { fill: valueInk(look) },
          ),
        ]),
    circle(cx, cy, 7, { fill: look.p.edge }),
    words(cx, cy + r * 0.52, shown(look), r * 0.28, { ...middle, ...bold, fill: valueInk(look) }),
    words(cx, cy + r * 0.78, look.text('unit') || look.text('label'), r * 0.15, { ...middle, fill: '#575f6b' }),
  ]
}

const meters: ElementKind[] = [
  meter('gauge', 200, 200, look => dial(look, -135, 135), true),
  meter('gauge-half', 220, 200, look => dial(look, -90, 90), true),
  meter('gauge-quarter', 180, 180, look => dial(look, -90, 0), true),
  meter(
    'ring',
    160,
    160,
    look => {
      const r = Math.min(look.w, look.h) / 2 - 10
      return [
        circle(look.w / 2, look.h / 2, r, { fill: 'none', stroke: look.p.shade, 'stroke-width': 14 }),
        path(arc(look.w / 2, look.h / 2, r, 0, 360 * share(look)), {
          fill: 'none',
          stroke: valueInk(look),
          'stroke-width': 14,
        }),
        words(look.w / 2, look.h / 2, shown(look), r * 0.5, { ...middle, ...bold, fill: valueInk(look) }),
        words(look.w / 2, look.h / 2 + r * 0.42, look.text('unit'), r * 0.22, { ...middle, fill: '#575f6b' }),
      ]
    },
    true,
  ),
  meter('bar', 240, 40, look => {
    const band = normal(look)
    const y = look.h / 2 - 6
    const x = look.w * share(look)
    return [
      rect(0, y, look.w, 12, { fill: look.p.shade }),
      ...(band ? [rect(look.w * band[0], y, look.w * (band[1] - band[0]), 12, { fill: look.p.fluid })] : []),
      ...(look.value() === null
        ? []
        : [
            polygon(
              [
                [x, y + 14],
                [x - 8, y + 28],
                [x + 8, y + 28],
              ],
              { fill: valueInk(look) },
            ),
          ]),
    ]
  }),
  meter('bar-upright', 48, 200, look => {
    const band = normal(look)
    const y = look.h * (1 - share(look))
    return [
      rect(0, 0, 12, look.h, { fill: look.p.shade }),
      ...(band ? [rect(0, look.h * (1 - band[1]), 12, look.h * (band[1] - band[0]), { fill: look.p.fluid })] : []),
      ...(look.value() === null
        ? []
        : [
            polygon(
              [
                [16, y],
                [30, y - 8],
                [30, y + 8],
              ],
              { fill: valueInk(look) },
            ),
          ]),
    ]
  }),
  meter('progress', 240, 24, look => [
    rect(0, 0, look.w, look.h, { fill: look.p.shade, rx: look.h / 2 }),
    rect(0, 0, look.w * share(look), look.h, { fill: valueInk(look), rx: look.h / 2 }),
    words(look.w / 2, look.h / 2, `${shown(look)}${look.text('unit')}`, look.h * 0.6, {
      ...middle,
      ...bold,
      fill: share(look) > 0.55 ? '#ffffff' : look.p.ink,
    }),
  ]),
  meter('level', 80, 180, look => [
    rect(1, 1, look.w - 2, look.h - 2, { fill: look.p.body, stroke: look.p.edge, 'stroke-width': 2, rx: 6 }),
    rect(3, 3 + (look.h - 6) * (1 - share(look)), look.w - 6, (look.h - 6) * share(look), {
      fill: look.p.fluid,
      rx: 4,
    }),
    words(look.w / 2, look.h / 2, shown(look), 20, { ...middle, ...bold, fill: valueInk(look) }),
  ]),
  meter('thermometer', 60, 200, look => {
    const tube = look.h - 50
    return [
      rect(look.w / 2 - 8, 4, 16, tube, { fill: look.p.body, stroke: look.p.edge, 'stroke-width': 2, rx: 8 }),
      rect(look.w / 2 - 4, 8 + (tube - 4) * (1 - share(look)), 8, (tube - 4) * share(look) + 8, {
        fill: valueInk(look),
      }),
      circle(look.w / 2, look.h - 34, 17, { fill: valueInk(look), stroke: look.p.edge, 'stroke-width': 2 }),
      words(look.w / 2, look.h - 8, `${shown(look)}${look.text('unit')}`, 14, { ...middle, fill: look.p.ink }),
    ]
  }),
  meter('battery', 120, 60, look => [
    rect(1, 1, look.w - 12, look.h - 2, { fill: look.p.body, stroke: look.p.edge, 'stroke-width': 2, rx: 6 }),
    rect(look.w - 10, look.h * 0.3, 8, look.h * 0.4, { fill: look.p.edge, rx: 2 }),
    rect(5, 5, (look.w - 20) * share(look), look.h - 10, { fill: isOut(look) ? '#c22f12' : look.p.fluid, rx: 3 }),
    words((look.w - 10) / 2, look.h / 2, `${shown(look)}%`, look.h * 0.34, { ...middle, ...bold, fill: look.p.ink }),
  ]),
  meter('signal', 80, 60, look =>
    Array.from({ length: 5 }, (_, i) =>
      rect(i * 16, look.h - (i + 1) * (look.h / 5), 12, (i + 1) * (look.h / 5), {
        fill: share(look) * 5 > i ? look.p.value : look.p.shade,
        rx: 2,
      }),
    ),
  ),
  meter(
    'compass',
    160,
    160,
    look => {
      const r = Math.min(look.w, look.h) / 2 - 8
      const at = look.value() ?? 0
      const c: [number, number] = [look.w / 2, look.h / 2]
      return [
        circle(...c, r, { fill: look.p.body, stroke: look.p.edge, 'stroke-width': 2 }),
        ...(['N', 'E', 'S', 'W'] as const).map((letter, i) =>
          words(...onCircle(...c, r - 14, i * 90), letter, 14, { ...middle, fill: look.p.ink }),
        ),
        polygon([onCircle(...c, r - 26, at), onCircle(...c, 9, at + 90), onCircle(...c, 9, at - 90)], {
          fill: '#c22f12',
        }),
        polygon([onCircle(...c, r - 26, at + 180), onCircle(...c, 9, at + 90), onCircle(...c, 9, at - 90)], {
          fill: look.p.edge,
        }),
      ]
    },
    true,
  ),
  meter('segments', 240, 40, look =>
    Array.from({ length: 20 }, (_, i) =>
      rect((i * look.w) / 20, 0, look.w / 20 - 2, look.h, {
        fill: share(look) * 20 > i ? (i > 16 ? '#c22f12' : look.p.value) : look.p.shade,
        rx: 2,
      }),
    ),
  ),
  meter(
    'wind',
    120,
    120,
    look => {
      const [x, y] = [look.w / 2, look.h / 2]
      return [
        line(x, y, x, look.h, { stroke: look.p.edge, 'stroke-width': 4 }),
        group(
          [0, 120, 240].map(a =>
            ellipse(...onCircle(x, y, look.h * 0.2, a), 7, look.h * 0.2, {
              fill: look.p.on,
              stroke: look.p.edge,
              transform: `rotate(${a} ${onCircle(x, y, look.h * 0.2, a).join(' ')})`,
            }),
          ),
          {},
          'spin',
        ),
        circle(x, y, 6, { fill: look.p.edge }),
      ]
    },
    true,
  ),
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

const lamp = (kind: string, draw: (look: Look) => Shape[]): ElementKind => ({
  kind,
  group: 'meters',
  name: [kind],
  w: 48,
  h: 48,
  props: [
    { key: 'value', type: 'boolean', value: null },
    colour('onColour', '#00a870'),
    colour('offColour', '#a9b0ba'),
  ],
  draw,
  main: 'value',
  square: true,
})
const lampFill = (look: Look) => look.text(look.is('value') ? 'onColour' : 'offColour')
const lamps: ElementKind[] = [
  lamp('lamp', look => [
    circle(look.w / 2, look.h / 2, Math.min(look.w, look.h) / 2 - 3, {
      fill: lampFill(look),
      stroke: '#575f6b',
      'stroke-width': 2,
    }),
  ]),
  lamp('lamp-square', look => [
    rect(2, 2, look.w - 4, look.h - 4, { fill: lampFill(look), stroke: '#575f6b', 'stroke-width': 2, rx: 4 }),
  ]),
  lamp('beacon', look => [
    rect(look.w * 0.2, look.h - 10, look.w * 0.6, 8, { fill: '#575f6b' }),
    path(
      `M${look.w * 0.25} ${look.h - 10}V${look.h * 0.45}A${look.w * 0.25} ${look.h * 0.35} 0 0 1 ${look.w * 0.75} ${look.h * 0.45}V${look.h - 10}Z`,
      { fill: lampFill(look), stroke: '#575f6b' },
    ),
  ]),
  {
    kind: 'traffic-light',
    group: 'meters',
    name: ['traffic-light'],
    w: 48,
    h: 130,
    props: [VALUE],
    draw: look => [
      rect(1, 1, look.w - 2, look.h - 2, { fill: '#3a4049', rx: 8 }),
      ...['#cf1322', '#faad14', '#00a870'].map((fill, i) =>
        circle(look.w / 2, look.h * (0.19 + i * 0.31), look.w * 0.32, { fill: look.value() === i ? fill : '#575f6b' }),
      ),
    ],
    main: 'value',
  },
  {
    kind: 'alarm-sign',
    group: 'meters',
    name: ['alarm-sign'],
    w: 48,
    h: 48,
    props: [VALUE],
    draw: look => alarmSign(look.value() ?? 0, look.w, look.h),
    main: 'value',
    square: true,
  },
]

/** The sign of an alarm's level: a colour and a shape of its own, nothing while all is well. */
export function alarmSign(level: number, w: number, h: number): Shape[] {
  const r = Math.min(w, h) / 2 - 2
  const [x, y] = [w / 2, h / 2]
  const mark = words(x, y, '!', r, { ...middle, ...bold, fill: '#ffffff' })
  switch (level) {
    case 1:
      return [circle(x, y, r, { fill: '#1677ff' }), mark]
    case 2:
      return [rect(x - r, y - r, 2 * r, 2 * r, { fill: '#13a8a8', rx: 3 }), mark]
    case 3:
      return [
        polygon(
          [
            [x, y - r],
            [x + r, y + r * 0.8],
            [x - r, y + r * 0.8],
          ],
          { fill: '#d48806' },
        ),
        mark,
      ]
    case 4:
      return [
        polygon(
          [
            [x, y - r],
            [x + r, y],
            [x, y + r],
            [x - r, y],
          ],
          { fill: '#fa541c' },
        ),
        mark,
      ]
    case 5:
      return [
        polygon(
          [22.5, 67.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5].map(a => onCircle(x, y, r, a)),
          { fill: '#cf1322' },
        ),
        mark,
      ]
    default:
      return []
  }
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
  ...meters,
  ...lamps,
  ...charts,
  ...controls,
  ...media,
]
