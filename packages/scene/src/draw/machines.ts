import { type ElementGroup, type ElementKind, type ElementProp, flag, type Look, STYLE } from './element.ts'
import { circle, ellipse, group, line, onCircle, path, polygon, rect, type Shape, words } from './shape.ts'

type Pair = readonly [number, number]

/** What a symbol is drawn with: places are shares of its size, 0 to 1. */
interface Pen {
  box(x: number, y: number, w: number, h: number, radius?: number): Shape
  dot(x: number, y: number, r: number): Shape
  oval(x: number, y: number, rx: number, ry: number): Shape
  /** Filled and edged. */
  shape(...points: Pair[]): Shape
  line(...points: Pair[]): Shape
  curve(d: (x: (share: number) => number, y: (share: number) => number) => string, filled?: boolean): Shape
  letter(x: number, y: number, text: string, size?: number): Shape
  turning(...shapes: Shape[]): Shape
  on: boolean
}

function penOf(look: Look): Pen {
  const { w, h, p } = look
  const on = look.is('on')
  const fill = on ? p.on : p.off
  const edge = { stroke: p.edge, 'stroke-width': 2, 'stroke-linejoin': 'round' }
  const X = (x: number) => x * w
  const Y = (y: number) => y * h
  const size = Math.min(w, h)
  return {
    on,
    box: (x, y, bw, bh, radius = 0) => rect(X(x), Y(y), X(bw), Y(bh), { fill, ...edge, rx: radius * size }),
    dot: (x, y, r) => circle(X(x), Y(y), r * size, { fill, ...edge }),
    oval: (x, y, rx, ry) => ellipse(X(x), Y(y), X(rx), Y(ry), { fill, ...edge }),
    shape: (...points) =>
      polygon(
        points.map(([x, y]) => [X(x), Y(y)] as const),
        { fill, ...edge },
      ),
    line: (...points) =>
      path(points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${X(x)} ${Y(y)}`).join(''), { fill: 'none', ...edge }),
    curve: (d, filled = false) => path(d(X, Y), { fill: filled ? fill : 'none', ...edge }),
    letter: (x, y, text, letter = 0.32) =>
      words(X(x), Y(y), text, letter * size, { 'text-anchor': 'middle', fill: p.ink, 'font-weight': 700 }),
    turning: (...shapes) => group(shapes, {}, 'spin'),
  }
}

const blades = (pen: Pen, x: number, y: number, r: number, count: number, w: number, h: number): Shape => {
  const size = Math.min(w, h)
  return pen.turning(
    ...Array.from({ length: count }, (_, i) => {
      const [ex, ey] = onCircle(x * w, y * h, r * size, (360 / count) * i)
      return line(x * w, y * h, ex, ey, {
        stroke: '#575f6b',
        'stroke-width': Math.max(2, size * 0.06),
        'stroke-linecap': 'round',
      })
    }),
  )
}

type Draw = (pen: Pen, look: Look) => Shape[]
type Row = readonly [kind: string, w: number, h: number, draw: Draw]

const MACHINES: readonly Row[] = [
  [
    'motor',
    110,
    80,
    p => [
      p.box(0.08, 0.2, 0.68, 0.56, 0.08),
      p.box(0.76, 0.4, 0.2, 0.16),
      p.box(0.18, 0.76, 0.46, 0.12),
      p.letter(0.42, 0.48, 'M'),
    ],
  ],
  ['generator', 90, 90, p => [p.dot(0.5, 0.5, 0.46), p.letter(0.5, 0.5, 'G', 0.42)]],
  ['fan', 90, 90, (p, l) => [p.dot(0.5, 0.5, 0.46), blades(p, 0.5, 0.5, 0.36, 4, l.w, l.h)]],
  [
    'blower',
    100,
    90,
    (p, l) => [p.box(0.5, 0.05, 0.46, 0.3), p.dot(0.45, 0.55, 0.4), blades(p, 0.45, 0.55, 0.28, 6, l.w, l.h)],
  ],
  [
    'compressor-piston',
    100,
    80,
    p => [
      p.box(0.05, 0.2, 0.5, 0.5),
      p.line([0.3, 0.2], [0.3, 0.7]),
      p.line([0.3, 0.45], [0.68, 0.45]),
      p.dot(0.78, 0.45, 0.22),
    ],
  ],
  [
    'compressor-screw',
    110,
    80,
    p => [
      p.shape([0.04, 0.15], [0.96, 0.3], [0.96, 0.7], [0.04, 0.85]),
      p.curve((x, y) => `M${x(0.15)} ${y(0.5)}q${x(0.1)} ${y(-0.35)} ${x(0.2)} 0t${x(0.2)} 0t${x(0.2)} 0`),
    ],
  ],
  [
    'turbine',
    110,
    80,
    p => [p.shape([0.05, 0.36], [0.95, 0.08], [0.95, 0.92], [0.05, 0.64]), p.line([0.5, 0.22], [0.5, 0.78])],
  ],
  [
    'conveyor',
    220,
    60,
    (p, l) => [
      p.box(0.05, 0.25, 0.9, 0.3, 0.15),
      blades(p, 0.1, 0.4, 0.15, 3, l.w, l.h),
      blades(p, 0.9, 0.4, 0.15, 3, l.w, l.h),
      p.line([0.2, 0.55], [0.16, 0.95]),
      p.line([0.8, 0.55], [0.84, 0.95]),
    ],
  ],
  [
    'screw-conveyor',
    220,
    50,
    p => [
      p.box(0.02, 0.2, 0.96, 0.6),
      p.curve(
        (x, y) =>
          `M${x(0.04)} ${y(0.5)}` +
          Array.from({ length: 9 }, (_, i) => `q${x(0.025)} ${y(i % 2 ? 0.4 : -0.4)} ${x(0.1)} 0`).join(''),
      ),
    ],
  ],
  [
    'elevator',
    70,
    200,
    (p, l) => [
      p.box(0.2, 0.02, 0.6, 0.96),
      blades(p, 0.5, 0.1, 0.2, 3, l.w, l.h),
      p.shape([0.8, 0.08], [1, 0.2], [0.8, 0.2]),
      ...[0.3, 0.5, 0.7].map(y => p.line([0.35, y], [0.65, y])),
    ],
  ],
  [
    'crusher',
    100,
    100,
    (p, l) => [
      p.shape([0.1, 0.05], [0.9, 0.05], [0.72, 0.6], [0.72, 0.95], [0.28, 0.95], [0.28, 0.6]),
      blades(p, 0.5, 0.5, 0.18, 6, l.w, l.h),
    ],
  ],
  [
    'mixer',
    90,
    130,
    p => [
      p.box(0.36, 0.02, 0.28, 0.16),
      p.line([0.5, 0.18], [0.5, 0.78]),
      p.turning(p.oval(0.34, 0.8, 0.16, 0.05), p.oval(0.66, 0.8, 0.16, 0.05)),
    ],
  ],
  [
    'filter',
    70,
    110,
    p => [
      p.box(0.1, 0.05, 0.8, 0.65),
      p.shape([0.1, 0.7], [0.9, 0.7], [0.58, 0.96], [0.42, 0.96]),
      p.line([0.1, 0.3], [0.9, 0.5]),
    ],
  ],
  [
    'exchanger-shell',
    180,
    80,
    p => [
      p.box(0.04, 0.18, 0.92, 0.64, 0.3),
      p.line([0.2, 0.18], [0.2, 0.82]),
      p.line([0.8, 0.18], [0.8, 0.82]),
      ...[0.36, 0.5, 0.64].map(y => p.line([0.2, y], [0.8, y])),
    ],
  ],
  [
    'exchanger-plate',
    90,
    120,
    p => [
      p.box(0.08, 0.05, 0.84, 0.9),
      ...[0.24, 0.4, 0.56, 0.72].map(x => p.line([x, 0.12], [x + 0.06, 0.5], [x, 0.88])),
    ],
  ],
  [
    'cooler',
    120,
    90,
    p => [
      p.dot(0.5, 0.5, 0.48),
      p.curve((x, y) => `M${x(0.05)} ${y(0.85)}L${x(0.4)} ${y(0.4)}L${x(0.55)} ${y(0.6)}L${x(0.95)} ${y(0.12)}`),
    ],
  ],
  [
    'boiler',
    120,
    130,
    p => [
      p.box(0.08, 0.2, 0.84, 0.72, 0.15),
      p.box(0.62, 0.02, 0.14, 0.2),
      p.curve((x, y) => `M${x(0.5)} ${y(0.84)}q${x(-0.2)} ${y(-0.14)} 0 ${y(-0.32)}q${x(0.2)} ${y(0.18)} 0 ${y(0.32)}`),
    ],
  ],
  [
    'burner',
    100,
    70,
    p => [
      p.shape([0.04, 0.25], [0.5, 0.25], [0.7, 0.05], [0.7, 0.95], [0.5, 0.75], [0.04, 0.75]),
      p.curve((x, y) => `M${x(0.72)} ${y(0.3)}q${x(0.26)} ${y(0.2)} 0 ${y(0.4)}`),
    ],
  ],
  [
    'cyclone',
    80,
    130,
    p => [
      p.box(0.1, 0.05, 0.8, 0.4),
      p.shape([0.1, 0.45], [0.9, 0.45], [0.58, 0.96], [0.42, 0.96]),
      p.line([0.42, 0.05], [0.42, 0.32], [0.58, 0.32], [0.58, 0.05]),
    ],
  ],
  [
    'centrifuge',
    100,
    100,
    p => [
      p.box(0.06, 0.06, 0.88, 0.88, 0.1),
      p.turning(p.dot(0.5, 0.5, 0.34), p.line([0.5, 0.18], [0.5, 0.82]), p.line([0.18, 0.5], [0.82, 0.5])),
    ],
  ],
  [
    'dryer',
    180,
    90,
    (p, l) => [
      p.shape([0.04, 0.2], [0.96, 0.3], [0.96, 0.75], [0.04, 0.65]),
      p.line([0.28, 0.23], [0.28, 0.67]),
      p.line([0.72, 0.28], [0.72, 0.72]),
      blades(p, 0.5, 0.48, 0.16, 4, l.w, l.h),
    ],
  ],
  [
    'cooling-tower',
    130,
    130,
    (p, l) => [
      p.curve(
        (x, y) =>
          `M${x(0.08)} ${y(0.96)}Q${x(0.35)} ${y(0.5)} ${x(0.25)} ${y(0.1)}H${x(0.75)}Q${x(0.65)} ${y(0.5)} ${x(0.92)} ${y(0.96)}Z`,
        true,
      ),
      blades(p, 0.5, 0.18, 0.14, 4, l.w, l.h),
    ],
  ],
  [
    'robot',
    120,
    130,
    p => [
      p.box(0.2, 0.84, 0.5, 0.12),
      p.shape([0.38, 0.84], [0.52, 0.84], [0.4, 0.4], [0.28, 0.42]),
      p.shape([0.28, 0.42], [0.36, 0.32], [0.84, 0.24], [0.84, 0.34]),
      p.dot(0.34, 0.4, 0.09),
      p.line([0.84, 0.22], [0.96, 0.3], [0.84, 0.38]),
    ],
  ],
  [
    'press',
    100,
    130,
    p => [
      p.box(0.1, 0.04, 0.8, 0.14),
      p.box(0.1, 0.84, 0.8, 0.12),
      p.line([0.18, 0.18], [0.18, 0.84]),
      p.line([0.82, 0.18], [0.82, 0.84]),
      p.box(0.4, 0.18, 0.2, p.on ? 0.4 : 0.22),
      p.box(0.28, p.on ? 0.56 : 0.38, 0.44, 0.1),
    ],
  ],
]

const ELECTRIC: readonly Row[] = [
  [
    'breaker',
    50,
    110,
    p => [
      p.line([0.5, 0], [0.5, 0.3]),
      p.line([0.5, 0.7], [0.5, 1]),
      p.box(0.2, 0.3, 0.6, 0.4),
      p.on ? p.line([0.5, 0.3], [0.5, 0.7]) : p.line([0.25, 0.5], [0.75, 0.5]),
    ],
  ],
  [
    'disconnector',
    60,
    110,
    p => [
      p.line([0.5, 0], [0.5, 0.3]),
      p.line([0.5, 0.72], [0.5, 1]),
      p.line([0.5, 0.72], [p.on ? 0.5 : 0.85, 0.32]),
      p.line([0.35, 0.3], [0.65, 0.3]),
    ],
  ],
  ['fuse', 40, 110, p => [p.line([0.5, 0], [0.5, 1]), p.box(0.2, 0.28, 0.6, 0.44)]],
  [
    'contactor',
    60,
    110,
    p => [
      p.line([0.5, 0], [0.5, 0.3]),
      p.line([0.5, 0.72], [0.5, 1]),
      p.line([0.5, 0.72], [p.on ? 0.5 : 0.85, 0.32]),
      p.curve((x, y) => `M${x(0.4)} ${y(0.3)}a${x(0.1)} ${y(0.05)} 0 0 1 ${x(0.2)} 0`),
    ],
  ],
  [
    'transformer',
    80,
    120,
    p => [
      p.dot(0.5, 0.36, 0.34),
      p.curve(
        (x, y) =>
          `M${x(0.5)} ${y(0.44)}m${-0.34 * x(1)} ${y(0.2)}a${x(0.34)} ${x(0.34)} 0 1 0 ${x(0.68)} 0a${x(0.34)} ${x(0.34)} 0 1 0 ${x(-0.68)} 0`,
      ),
      p.line([0.5, 0], [0.5, 0.12]),
      p.line([0.5, 0.88], [0.5, 1]),
    ],
  ],
  ['transformer-three', 110, 120, p => [p.dot(0.5, 0.34, 0.26), p.dot(0.34, 0.62, 0.26), p.dot(0.66, 0.62, 0.26)]],
  [
    'current-transformer',
    60,
    90,
    p => [p.line([0.5, 0], [0.5, 1]), p.dot(0.5, 0.5, 0.3), p.line([0.5, 0.2], [0.5, 0.8])],
  ],
  [
    'ground',
    60,
    70,
    p => [
      p.line([0.5, 0], [0.5, 0.5]),
      p.line([0.1, 0.5], [0.9, 0.5]),
      p.line([0.26, 0.7], [0.74, 0.7]),
      p.line([0.4, 0.9], [0.6, 0.9]),
    ],
  ],
  ['busbar', 240, 16, p => [p.box(0, 0.2, 1, 0.6)]],
  [
    'capacitor',
    60,
    90,
    p => [
      p.line([0.5, 0], [0.5, 0.42]),
      p.line([0.1, 0.42], [0.9, 0.42]),
      p.line([0.1, 0.58], [0.9, 0.58]),
      p.line([0.5, 0.58], [0.5, 1]),
    ],
  ],
  [
    'reactor',
    60,
    90,
    p => [
      p.line([0.5, 0], [0.5, 0.2]),
      p.curve(
        (x, y) => `M${x(0.5)} ${y(0.2)}${[0, 1, 2].map(() => `a${x(0.16)} ${y(0.1)} 0 0 1 0 ${y(0.2)}`).join('')}`,
      ),
      p.line([0.5, 0.8], [0.5, 1]),
    ],
  ],
  [
    'ups',
    90,
    120,
    p => [p.box(0.1, 0.05, 0.8, 0.9, 0.05), p.letter(0.5, 0.3, 'UPS', 0.26), p.box(0.25, 0.55, 0.5, 0.2)],
  ],
  [
    'inverter',
    90,
    90,
    p => [
      p.box(0.05, 0.05, 0.9, 0.9),
      p.line([0.05, 0.95], [0.95, 0.05]),
      p.letter(0.3, 0.3, '=', 0.3),
      p.letter(0.7, 0.72, '~', 0.36),
    ],
  ],
  [
    'solar',
    130,
    90,
    p => [
      p.shape([0.2, 0.1], [0.98, 0.1], [0.8, 0.75], [0.02, 0.75]),
      p.line([0.14, 0.32], [0.92, 0.32]),
      p.line([0.08, 0.54], [0.86, 0.54]),
      p.line([0.46, 0.1], [0.28, 0.75]),
      p.line([0.72, 0.1], [0.54, 0.75]),
      p.line([0.5, 0.75], [0.5, 0.96]),
    ],
  ],
  [
    'wind-turbine',
    100,
    160,
    (p, l) => [
      p.shape([0.47, 0.3], [0.53, 0.3], [0.57, 1], [0.43, 1]),
      blades(p, 0.5, 0.3, 0.42, 3, l.w, l.h),
      p.dot(0.5, 0.3, 0.06),
    ],
  ],
  [
    'meter',
    80,
    80,
    p => [p.box(0.05, 0.05, 0.9, 0.9, 0.08), p.box(0.18, 0.18, 0.64, 0.26), p.letter(0.5, 0.7, 'kWh', 0.24)],
  ],
  [
    'socket',
    70,
    70,
    p => [
      p.box(0.05, 0.05, 0.9, 0.9, 0.12),
      p.line([0.35, 0.35], [0.35, 0.55]),
      p.line([0.65, 0.35], [0.65, 0.55]),
      p.line([0.5, 0.66], [0.5, 0.8]),
    ],
  ],
  [
    'accumulator',
    110,
    80,
    p => [
      p.box(0.05, 0.22, 0.9, 0.7, 0.05),
      p.box(0.16, 0.08, 0.16, 0.14),
      p.box(0.68, 0.08, 0.16, 0.14),
      p.letter(0.24, 0.55, '+', 0.36),
      p.letter(0.76, 0.55, '−', 0.36),
    ],
  ],
]

const windows = (p: Pen, xs: readonly number[], ys: readonly number[], size = 0.1) =>
  xs.flatMap(x => ys.map(y => p.box(x, y, size, size)))

const BUILDINGS: readonly Row[] = [
  [
    'house',
    110,
    100,
    p => [
      p.box(0.14, 0.45, 0.72, 0.5),
      p.shape([0.5, 0.06], [0.96, 0.46], [0.04, 0.46]),
      p.box(0.42, 0.64, 0.16, 0.31),
      ...windows(p, [0.22, 0.66], [0.58], 0.14),
    ],
  ],
  [
    'factory',
    170,
    110,
    p => [
      p.shape(
        [0.04, 0.95],
        [0.04, 0.5],
        [0.28, 0.35],
        [0.28, 0.5],
        [0.52, 0.35],
        [0.52, 0.5],
        [0.76, 0.35],
        [0.76, 0.95],
      ),
      p.shape([0.82, 0.95], [0.84, 0.05], [0.92, 0.05], [0.94, 0.95]),
      ...windows(p, [0.12, 0.34, 0.56], [0.65], 0.1),
    ],
  ],
  [
    'office',
    90,
    140,
    p => [p.box(0.1, 0.04, 0.8, 0.92), ...windows(p, [0.2, 0.44, 0.68], [0.12, 0.3, 0.48, 0.66], 0.12)],
  ],
  [
    'pump-house',
    120,
    100,
    p => [
      p.box(0.08, 0.36, 0.84, 0.58),
      p.shape([0.5, 0.08], [0.98, 0.36], [0.02, 0.36]),
      p.dot(0.5, 0.66, 0.18),
      p.shape([0.44, 0.58], [0.44, 0.74], [0.58, 0.66]),
    ],
  ],
  [
    'warehouse',
    160,
    100,
    p => [
      p.shape([0.04, 0.95], [0.04, 0.38], [0.5, 0.08], [0.96, 0.38], [0.96, 0.95]),
      p.box(0.24, 0.5, 0.52, 0.45),
      p.line([0.24, 0.64], [0.76, 0.64]),
      p.line([0.24, 0.78], [0.76, 0.78]),
    ],
  ],
  [
    'cold-store',
    140,
    100,
    p => [
      p.box(0.04, 0.1, 0.92, 0.85, 0.05),
      ...[0, 60, 120].map(angle =>
        p.curve((x, y) => {
          const [ax, ay] = onCircle(x(0.5), y(0.52), y(0.26), angle)
          const [bx, by] = onCircle(x(0.5), y(0.52), y(0.26), angle + 180)
          return `M${ax} ${ay}L${bx} ${by}`
        }),
      ),
    ],
  ],
  [
    'gate-barrier',
    150,
    80,
    p => [
      p.box(0.04, 0.4, 0.12, 0.56),
      p.on ? p.shape([0.08, 0.4], [0.14, 0.42], [0.5, 0.02], [0.44, 0]) : p.box(0.1, 0.42, 0.86, 0.1),
    ],
  ],
  [
    'truck',
    150,
    80,
    p => [
      p.box(0.02, 0.14, 0.6, 0.56),
      p.shape([0.64, 0.3], [0.84, 0.3], [0.97, 0.5], [0.97, 0.7], [0.64, 0.7]),
      p.dot(0.2, 0.78, 0.18),
      p.dot(0.8, 0.78, 0.18),
    ],
  ],
  [
    'tower',
    90,
    160,
    p => [
      p.line([0.5, 0.02], [0.12, 0.98]),
      p.line([0.5, 0.02], [0.88, 0.98]),
      p.line([0.38, 0.34], [0.62, 0.34], [0.26, 0.64], [0.74, 0.64], [0.16, 0.9], [0.84, 0.9]),
      p.line([0.18, 0.24], [0.82, 0.24]),
    ],
  ],
  [
    'door',
    70,
    110,
    p => [
      p.box(0.1, 0.04, 0.8, 0.94),
      p.on ? p.shape([0.1, 0.04], [0.5, 0.14], [0.5, 0.9], [0.1, 0.98]) : p.dot(0.76, 0.52, 0.06),
    ],
  ],
]

const FARM: readonly Row[] = [
  [
    'greenhouse',
    180,
    110,
    p => [
      p.curve(
        (x, y) => `M${x(0.03)} ${y(0.95)}V${y(0.5)}Q${x(0.5)} ${y(-0.25)} ${x(0.97)} ${y(0.5)}V${y(0.95)}Z`,
        true,
      ),
      ...[0.27, 0.5, 0.73].map(x => p.line([x, 0.95], [x, 0.24])),
      p.line([0.03, 0.5], [0.97, 0.5]),
    ],
  ],
  ['tree', 80, 110, p => [p.box(0.43, 0.6, 0.14, 0.38), p.dot(0.5, 0.36, 0.42)]],
  [
    'crop',
    80,
    100,
    p => [
      p.line([0.5, 1], [0.5, 0.1]),
      ...[0.25, 0.45, 0.65].flatMap(y => [p.oval(0.32, y, 0.18, 0.07), p.oval(0.68, y, 0.18, 0.07)]),
    ],
  ],
  [
    'sprinkler',
    100,
    110,
    p => [
      p.line([0.5, 1], [0.5, 0.45]),
      p.box(0.4, 0.36, 0.2, 0.12),
      ...(p.on
        ? [
            [0.1, 0.1],
            [0.3, 0.02],
            [0.7, 0.02],
            [0.9, 0.1],
          ].map(([x, y]) => p.line([0.5, 0.36], [x!, y!]))
        : []),
    ],
  ],
  [
    'pond',
    180,
    90,
    p => [
      p.oval(0.5, 0.5, 0.48, 0.46),
      p.curve(
        (x, y) =>
          `M${x(0.34)} ${y(0.5)}q${x(0.14)} ${y(-0.22)} ${x(0.28)} 0q${x(-0.14)} ${y(0.22)} ${x(-0.28)} 0l${x(-0.08)} ${y(0.12)}v${y(-0.24)}z`,
      ),
    ],
  ],
  [
    'feeder',
    90,
    120,
    p => [
      p.shape([0.1, 0.05], [0.9, 0.05], [0.62, 0.6], [0.38, 0.6]),
      p.box(0.38, 0.6, 0.24, 0.14),
      p.line([0.2, 0.96], [0.3, 0.24]),
      p.line([0.8, 0.96], [0.7, 0.24]),
    ],
  ],
  [
    'weather-station',
    90,
    150,
    (p, l) => [
      p.line([0.5, 1], [0.5, 0.16]),
      p.line([0.2, 0.3], [0.8, 0.3]),
      blades(p, 0.2, 0.26, 0.14, 3, l.w, l.h),
      p.shape([0.66, 0.3], [0.9, 0.18], [0.9, 0.3]),
      p.box(0.36, 0.46, 0.28, 0.16),
    ],
  ],
  [
    'cow',
    120,
    90,
    p => [
      p.box(0.2, 0.3, 0.58, 0.36, 0.16),
      p.oval(0.86, 0.32, 0.12, 0.14),
      ...[0.26, 0.38, 0.6, 0.72].map(x => p.line([x, 0.66], [x, 0.96])),
      p.line([0.2, 0.38], [0.08, 0.6]),
      p.line([0.8, 0.2], [0.76, 0.08]),
      p.line([0.92, 0.2], [0.96, 0.08]),
    ],
  ],
  [
    'pig',
    110,
    80,
    p => [
      p.oval(0.46, 0.48, 0.36, 0.32),
      p.oval(0.86, 0.48, 0.12, 0.18),
      ...[0.26, 0.4, 0.56, 0.68].map(x => p.line([x, 0.74], [x, 0.96])),
      p.curve((x, y) => `M${x(0.1)} ${y(0.44)}q${x(-0.1)} ${y(-0.1)} ${x(-0.02)} ${y(-0.2)}`),
    ],
  ],
  [
    'chicken',
    80,
    90,
    p => [
      p.oval(0.44, 0.56, 0.34, 0.26),
      p.dot(0.76, 0.28, 0.14),
      p.shape([0.88, 0.26], [1, 0.32], [0.88, 0.36]),
      p.line([0.38, 0.8], [0.38, 0.98]),
      p.line([0.54, 0.8], [0.54, 0.98]),
      p.shape([0.12, 0.5], [0, 0.28], [0.2, 0.4]),
    ],
  ],
  [
    'aerator',
    120,
    90,
    (p, l) => [
      p.box(0.1, 0.6, 0.8, 0.16, 0.08),
      blades(p, 0.26, 0.5, 0.22, 6, l.w, l.h),
      blades(p, 0.74, 0.5, 0.22, 6, l.w, l.h),
      p.box(0.42, 0.34, 0.16, 0.26),
    ],
  ],
]

const ON: ElementProp = flag('on', true)

const kindsOf = (group: ElementGroup, rows: readonly Row[]): ElementKind[] =>
  rows.map(([kind, w, h, draw]) => ({
    kind,
    group,
    name: [kind],
    w,
    h,
    props: [ON, STYLE],
    draw: look => draw(penOf(look), look),
    main: 'on',
  }))

/** Machines, electrical symbols, buildings and what is on a farm: each a few strokes of one pen. */
export const SYMBOLS: readonly ElementKind[] = [
  ...kindsOf('machines', MACHINES),
  ...kindsOf('electric', ELECTRIC),
  ...kindsOf('buildings', BUILDINGS),
  ...kindsOf('farm', FARM),
]
