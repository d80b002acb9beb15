import { type ElementKind, flag, type Look, number, RANGE, STYLE, share, VALUE } from './element.ts'
import { circle, ellipse, group, line, path, polygon, rect, round, type Shape, words } from './shape.ts'

const ON = flag('on', true)
const edge = ({ p }: Look, width = 2) => ({ stroke: p.edge, 'stroke-width': width })
const filled = (look: Look) => ({ fill: look.is('on') ? look.p.on : look.p.off, ...edge(look) })

// ── tanks: a form, what is in or around it, and how full it is ──
const TANK_FORMS = ['upright', 'flat', 'cone', 'open', 'sphere', 'silo', 'drum', 'lying', 'hopper'] as const
const TANK_PARTS = ['plain', 'stirred', 'heated', 'jacketed'] as const

function tankOutline(form: (typeof TANK_FORMS)[number], w: number, h: number): string {
  const c = Math.min(h * 0.12, w * 0.25)
  switch (form) {
    case 'flat':
    case 'open':
      return `M1 1V${h - 1}H${w - 1}V1Z`
    case 'cone':
      return `M1 ${c}Q${w / 2} ${-c * 0.4} ${w - 1} ${c}V${h * 0.68}L${w * 0.58} ${h - 1}H${w * 0.42}L1 ${h * 0.68}Z`
    case 'hopper':
      return `M1 1H${w - 1}V${h * 0.45}L${w * 0.6} ${h - 1}H${w * 0.4}L1 ${h * 0.45}Z`
    case 'silo':
      return `M${w * 0.5} 1L${w - 1} ${h * 0.18}V${h - 1}H1V${h * 0.18}Z`
    case 'sphere':
      return `M${w / 2} 1A${w / 2 - 1} ${h / 2 - 1} 0 1 1 ${w / 2 - 0.01} 1Z`
    case 'lying':
      return `M${c} 1H${w - c}Q${w + c * 0.6} ${h / 2} ${w - c} ${h - 1}H${c}Q${-c * 0.6} ${h / 2} ${c} 1Z`
    case 'drum':
      return `M${w * 0.08} 1H${w * 0.92}L${w - 1} ${h * 0.33}L${w * 0.92} ${h * 0.5}L${w - 1} ${h * 0.67}L${w * 0.92} ${h - 1}H${w * 0.08}L1 ${h * 0.67}L${w * 0.08} ${h * 0.5}L1 ${h * 0.33}Z`
    case 'upright':
      return `M1 ${c}Q1 1 ${w / 2} 1T${w - 1} ${c}V${h - c}Q${w - 1} ${h - 1} ${w / 2} ${h - 1}T1 ${h - c}Z`
  }
}

function tank(form: (typeof TANK_FORMS)[number], part: (typeof TANK_PARTS)[number]) {
  return (look: Look): Shape[] => {
    const { w, h, p } = look
    const outline = tankOutline(form, w, h)
    const level = round(h * (1 - share(look)))
    const id = `${form}-${part}-${Math.round(w)}-${Math.round(h)}`
    const shapes: Shape[] = [path(outline, { fill: p.body })]
    if (look.value() !== null)
      shapes.push(
        path(outline, {
          fill: look.text('fluid') || p.fluid,
          'clip-path': `inset(${level}px 0 0 0)`,
          'data-id': id,
        }),
        line(2, level, w - 2, level, { stroke: p.value, 'stroke-width': 1.5, opacity: 0.6 }),
      )
    if (form === 'open') shapes.push(path(`M1 1V${h - 1}H${w - 1}V1`, { fill: 'none', ...edge(look) }))
    else shapes.push(path(outline, { fill: 'none', ...edge(look) }))
    if (part === 'stirred') {
      const y = h * 0.72
      shapes.push(
        line(w / 2, 0, w / 2, y, edge(look)),
        group(
          [
            ellipse(w * 0.36, y, w * 0.13, h * 0.03, filled(look)),
            ellipse(w * 0.64, y, w * 0.13, h * 0.03, filled(look)),
          ],
          {},
        ),
        rect(w / 2 - w * 0.08, 0, w * 0.16, h * 0.07, filled(look)),
      )
    }
    if (part === 'heated')
      shapes.push(
        path(
          `M${w * 0.15} ${h * 0.8}` +
            Array.from(
              { length: 6 },
              (_, i) => `L${round(w * (0.25 + i * 0.1))} ${round(h * (i % 2 ? 0.8 : 0.68))}`,
            ).join(''),
          { fill: 'none', ...edge(look), stroke: look.is('on') ? '#d4662a' : p.edge },
        ),
      )
    if (part === 'jacketed')
      shapes.push(
        path(`M${-5} ${h * 0.4}V${h * 0.9}H${w + 5}V${h * 0.4}`, {
          fill: 'none',
          ...edge(look),
          'stroke-dasharray': '6 3',
        }),
      )
    return shapes
  }
}

const tanks: ElementKind[] = TANK_FORMS.flatMap(form =>
  TANK_PARTS.map(
    (part): ElementKind => ({
      kind: part === 'plain' ? `tank-${form}` : `tank-${form}-${part}`,
      group: 'tanks',
      name: part === 'plain' ? [`tank_${form}`] : [`tank_${form}`, `with_${part}`],
      w: form === 'lying' ? 200 : 128,
      h: form === 'lying' ? 110 : 200,
      props: [VALUE, ...RANGE, { key: 'fluid', type: 'colour', value: '' }, ...(part === 'plain' ? [] : [ON]), STYLE],
      draw: tank(form, part),
      main: 'value',
    }),
  ),
)

// ── pumps ──
const PUMPS = ['centrifugal', 'gear', 'screw', 'piston', 'diaphragm', 'submersible', 'vacuum', 'dosing'] as const
const DRIVES = ['plain', 'motor', 'vfd'] as const

function pump(form: (typeof PUMPS)[number], drive: (typeof DRIVES)[number]) {
  return (look: Look): Shape[] => {
    const { w, h, p } = look
    const r = Math.min(w, h * 0.84) / 2 - 2
    const cx = w / 2
    const cy = r + 2
    const inner: Shape[] = []
    const ink = { fill: look.is('on') ? '#575f6b' : p.edge, stroke: 'none' }
    const thin = { fill: 'none', stroke: '#575f6b', 'stroke-width': 2 }
    switch (form) {
      case 'centrifugal':
        inner.push(
          polygon(
            [
              [cx - r * 0.35, cy - r * 0.5],
              [cx + r * 0.55, cy],
              [cx - r * 0.35, cy + r * 0.5],
            ],
            ink,
          ),
        )
        break
      case 'gear':
        inner.push(circle(cx, cy - r * 0.36, r * 0.34, thin), circle(cx, cy + r * 0.36, r * 0.34, thin))
        break
      case 'screw':
        inner.push(
          path(
            `M${cx - r * 0.7} ${cy}q${r * 0.17} ${-r * 0.6} ${r * 0.35} 0t${r * 0.35} 0t${r * 0.35} 0t${r * 0.35} 0`,
            thin,
          ),
        )
        break
      case 'piston':
        inner.push(
          rect(cx - r * 0.5, cy - r * 0.3, r, r * 0.6, thin),
          line(cx, cy - r * 0.3, cx, cy + r * 0.3, thin),
          line(cx, cy, cx + r * 0.9, cy, thin),
        )
        break
      case 'diaphragm':
        inner.push(path(`M${cx} ${cy - r * 0.8}Q${cx + r * 0.8} ${cy} ${cx} ${cy + r * 0.8}`, thin))
        break
      case 'submersible':
        inner.push(
          path(`M${cx - r * 0.6} ${cy + r * 0.3}q${r * 0.3} ${-r * 0.25} ${r * 0.6} 0t${r * 0.6} 0`, thin),
          line(cx, cy - r, cx, cy, thin),
        )
        break
      case 'vacuum':
        inner.push(words(cx, cy, 'V', r, { 'text-anchor': 'middle', fill: p.mark, 'font-weight': 700 }))
        break
      case 'dosing':
        inner.push(
          line(cx - r * 0.5, cy + r * 0.5, cx + r * 0.5, cy - r * 0.5, thin),
          polygon(
            [
              [cx + r * 0.55, cy - r * 0.55],
              [cx + r * 0.2, cy - r * 0.45],
              [cx + r * 0.45, cy - r * 0.2],
            ],
            ink,
          ),
        )
        break
    }
    const foot = path(
      `M${cx - r * 0.45} ${cy + r * 0.8}L${cx - r * 0.75} ${h - 2}H${cx + r * 0.75}L${cx + r * 0.45} ${cy + r * 0.8}Z`,
      { fill: p.shade, ...edge(look) },
    )
    const shapes: Shape[] = [
      foot,
      circle(cx, cy, r, filled(look)),
      group(inner, {}, form === 'centrifugal' || form === 'gear' ? 'spin' : undefined),
    ]
    if (drive !== 'plain') {
      shapes.push(rect(w - w * 0.24, cy - h * 0.1, w * 0.23, h * 0.2, { ...filled(look), rx: 3 }))
      shapes.push(
        words(w - w * 0.125, cy, drive === 'vfd' ? '~' : 'M', h * 0.14, { 'text-anchor': 'middle', fill: p.mark }),
      )
    }
    return shapes
  }
}

const pumps: ElementKind[] = PUMPS.flatMap(form =>
  DRIVES.map(
    (drive): ElementKind => ({
      kind: drive === 'plain' ? `pump-${form}` : `pump-${form}-${drive}`,
      group: 'pumps',
      name: drive === 'plain' ? [`pump_${form}`] : [`pump_${form}`, `drive_${drive}`],
      w: 100,
      h: 110,
      props: [ON, STYLE],
      draw: pump(form, drive),
      main: 'on',
    }),
  ),
)

// ── valves: a body and what moves it ──
const BODIES = [
  'gate',
  'globe',
  'ball',
  'butterfly',
  'check',
  'needle',
  'diaphragm',
  'three',
  'angle',
  'safety',
] as const
const ACTUATORS = ['plain', 'hand', 'motor', 'air', 'solenoid'] as const

function valve(body: (typeof BODIES)[number], actuator: (typeof ACTUATORS)[number]) {
  return (look: Look): Shape[] => {
    const { w, h, p } = look
    const top = actuator === 'plain' ? 0 : h * 0.42
    const mid = top + (h - top) / 2
    const half = (h - top) / 2 - 2
    const cx = w / 2
    const a = filled(look)
    const shapes: Shape[] = []
    if (actuator !== 'plain') shapes.push(line(cx, h * 0.2, cx, mid, edge(look)))
    switch (actuator) {
      case 'hand':
        shapes.push(line(cx - w * 0.22, h * 0.14, cx + w * 0.22, h * 0.14, edge(look, 4)))
        break
      case 'motor':
        shapes.push(
          circle(cx, h * 0.17, h * 0.15, a),
          words(cx, h * 0.17, 'M', h * 0.17, { 'text-anchor': 'middle', fill: p.mark }),
        )
        break
      case 'air':
        shapes.push(path(`M${cx - w * 0.25} ${h * 0.24}A${w * 0.25} ${h * 0.2} 0 0 1 ${cx + w * 0.25} ${h * 0.24}Z`, a))
        break
      case 'solenoid':
        shapes.push(
          rect(cx - w * 0.17, h * 0.03, w * 0.34, h * 0.26, a),
          words(cx, h * 0.16, 'S', h * 0.16, { 'text-anchor': 'middle', fill: p.mark }),
        )
        break
    }
    if (body === 'butterfly') {
      shapes.push(
        line(2, mid - half, 2, mid + half, edge(look, 3)),
        line(w - 2, mid - half, w - 2, mid + half, edge(look, 3)),
      )
      shapes.push(
        circle(cx, mid, 4, a),
        line(
          cx - (look.is('on') ? half : 3),
          mid + (look.is('on') ? 0 : half),
          cx + (look.is('on') ? half : 3),
          mid - (look.is('on') ? 0 : half),
          edge(look, 4),
        ),
      )
      return shapes
    }
    shapes.push(
      polygon(
        [
          [2, mid - half],
          [cx, mid],
          [2, mid + half],
        ],
        a,
      ),
      polygon(
        [
          [w - 2, mid - half],
          [cx, mid],
          [w - 2, mid + half],
        ],
        a,
      ),
    )
    switch (body) {
      case 'globe':
        shapes.push(circle(cx, mid, half * 0.35, { fill: p.edge }))
        break
      case 'ball':
        shapes.push(circle(cx, mid, half * 0.5, a))
        break
      case 'check':
        shapes.push(
          line(2, mid + half, w - 2, mid - half, edge(look, 2)),
          circle(w * 0.25, mid - half * 0.9, 3, { fill: p.edge }),
        )
        break
      case 'needle':
        shapes.push(
          polygon(
            [
              [cx - 4, top],
              [cx + 4, top],
              [cx, mid],
            ],
            { fill: p.edge },
          ),
        )
        break
      case 'diaphragm':
        shapes.push(
          path(`M${cx - w * 0.25} ${mid}Q${cx} ${mid - half * 1.2} ${cx + w * 0.25} ${mid}`, {
            fill: 'none',
            ...edge(look),
          }),
        )
        break
      case 'three':
        shapes.push(
          polygon(
            [
              [cx - half, h - 2],
              [cx, mid],
              [cx + half, h - 2],
            ],
            a,
          ),
        )
        break
      case 'angle':
        shapes.push(rect(cx, mid - half, w / 2, half * 2, { fill: '#ffffff00' }), line(cx, mid, cx, h, edge(look, 3)))
        break
      case 'safety':
        shapes.push(path(`M${cx} ${mid}l6 -5l-12 -5l12 -5l-12 -5l6 -5`, { fill: 'none', ...edge(look) }))
        break
      case 'gate':
        break
    }
    return shapes
  }
}

const valves: ElementKind[] = BODIES.flatMap(body =>
  ACTUATORS.map(
    (actuator): ElementKind => ({
      kind: actuator === 'plain' ? `valve-${body}` : `valve-${body}-${actuator}`,
      group: 'valves',
      name: actuator === 'plain' ? [`valve_${body}`] : [`valve_${body}`, `by_${actuator}`],
      w: 80,
      h: actuator === 'plain' ? 48 : 80,
      props: [ON, STYLE],
      draw: valve(body, actuator),
      main: 'on',
    }),
  ),
)

// ── pipes: a band, and dashes that run along it while something flows ──
function pipe(d: (w: number, h: number, t: number) => string) {
  return (look: Look): Shape[] => {
    const { w, h, p } = look
    const t = Math.max(4, look.number('thickness', 14))
    const along = d(w, h, t)
    const on = look.is('on')
    const round = { fill: 'none', 'stroke-linejoin': 'round' }
    return [
      path(along, { ...round, stroke: p.edge, 'stroke-width': t }),
      path(along, {
        ...round,
        stroke: on ? look.text('fluid') || '#8b95a1' : p.shade,
        'stroke-width': Math.max(1, t - 4),
      }),
      ...(on
        ? [
            {
              ...path(along, {
                ...round,
                stroke: '#ffffff',
                'stroke-width': Math.max(1, t / 5),
                'stroke-dasharray': '10 10',
              }),
              move: 'flow' as const,
            },
          ]
        : []),
    ]
  }
}

const PIPES: Record<string, (w: number, h: number, t: number) => string> = {
  straight: (w, h) => (w >= h ? `M0 ${h / 2}H${w}` : `M${w / 2} 0V${h}`),
  elbow: (w, h, t) => `M0 ${t / 2}H${w - t / 2}V${h}`,
  tee: (w, h, t) => `M0 ${t / 2}H${w}M${w / 2} ${t / 2}V${h}`,
  cross: (w, h) => `M0 ${h / 2}H${w}M${w / 2} 0V${h}`,
  ubend: (w, h, t) => `M${t / 2} ${h}V${t / 2}H${w - t / 2}V${h}`,
  step: (w, h, t) => `M0 ${t / 2}H${w / 2}V${h - t / 2}H${w}`,
}

const pipes: ElementKind[] = Object.entries(PIPES).map(([form, d]) => ({
  kind: `pipe-${form}`,
  group: 'pipes',
  name: [`pipe_${form}`],
  w: form === 'straight' ? 160 : 120,
  h: form === 'straight' ? 20 : 100,
  props: [flag('on', false), number('thickness', 14), { key: 'fluid', type: 'colour', value: '' }, STYLE],
  draw: pipe(d),
  main: 'on',
}))

// ── instruments: a balloon with its letters, after ISA-5.1 ──
const LETTERS = ['FT', 'PT', 'LT', 'TT', 'AT', 'FIC', 'PIC', 'LIC', 'TIC', 'pH', 'DO', 'TU', 'CL', 'EC', 'WT'] as const
const MOUNTS = ['field', 'panel', 'computer'] as const

function instrument(letters: string, mount: (typeof MOUNTS)[number]) {
  return (look: Look): Shape[] => {
    const { w, h, p } = look
    const r = Math.min(w, h) / 2 - 2
    const shapes: Shape[] = []
    if (mount === 'computer') shapes.push(rect(w / 2 - r, h / 2 - r, 2 * r, 2 * r, { fill: p.body, ...edge(look) }))
    shapes.push(circle(w / 2, h / 2, r, { fill: p.on === '#00a870' ? p.body : p.on, ...edge(look) }))
    if (mount === 'panel') shapes.push(line(w / 2 - r, h / 2, w / 2 + r, h / 2, edge(look, 1.5)))
    shapes.push(
      words(
        w / 2,
        mount === 'panel' ? h / 2 - r * 0.4 : h / 2,
        look.text('label') || letters,
        r * (letters.length > 2 ? 0.55 : 0.7),
        {
          'text-anchor': 'middle',
          fill: p.mark,
          'font-weight': 600,
        },
      ),
    )
    return shapes
  }
}

const instruments: ElementKind[] = LETTERS.flatMap(letters =>
  MOUNTS.map(
    (mount): ElementKind => ({
      kind: `instrument-${letters.toLowerCase()}-${mount}`,
      group: 'instruments',
      name: [`instrument_${letters.toLowerCase()}`, ...(mount === 'field' ? [] : [`mount_${mount}`])],
      w: 56,
      h: 56,
      props: [{ key: 'label', type: 'text', value: '' }, STYLE],
      draw: instrument(letters, mount),
      main: 'label',
      square: true,
    }),
  ),
)

export const EQUIPMENT: readonly ElementKind[] = [...tanks, ...pumps, ...valves, ...pipes, ...instruments]
