import { colour, type ElementKind, type Look, RANGE, STYLE, share, shownNumber, VALUE } from './element.ts'
import { arc, circle, ellipse, group, line, onCircle, path, polygon, rect, round, type Shape, words } from './shape.ts'
import { bold, DIGITS, LABEL, LIMITS, middle, shown, UNIT, valueInk } from './widget-fields.ts'

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
      line(x1, y1, x2, y2, { stroke: look.p.edge }),
      words(x, y, shownNumber(round(min + ((max - min) * i) / 5), digits), 12, { ...middle, fill: look.p.note }),
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
    words(cx, cy + r * 0.78, look.text('unit') || look.text('label'), r * 0.15, { ...middle, fill: look.p.note }),
  ]
}

export const METERS: readonly ElementKind[] = [
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
        words(look.w / 2, look.h / 2 + r * 0.42, look.text('unit'), r * 0.22, { ...middle, fill: look.p.note }),
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
      fill: share(look) > 0.55 ? look.p.onValue : look.p.ink,
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
    rect(5, 5, (look.w - 20) * share(look), look.h - 10, { fill: look.p.fluid, rx: 3 }),
    words((look.w - 10) / 2, look.h / 2, `${shown(look)}%`, look.h * 0.34, {
      ...middle,
      ...bold,
      fill: valueInk(look),
    }),
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
          fill: look.p.out,
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
        fill: share(look) * 20 > i ? (i > 16 ? look.p.out : look.p.value) : look.p.shade,
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
export const LAMPS: readonly ElementKind[] = [
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
