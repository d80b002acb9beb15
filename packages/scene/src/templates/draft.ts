import { newNode, type SceneEvent, type SceneNode, type SceneRole, type Source } from '../scene.ts'

/** Says a word of a template: `pumpStation.title`. */
export type Say = (key: string) => string

/** What is normal for a value, and the ends of its bar. */
export interface Band {
  min: number
  max: number
  low?: number
  high?: number
}

export const WIDTH = 1920
const VALUE_INK = '#1b4396'

export const role = (key: string, name: string): SceneRole => ({
  key,
  name,
  productId: null,
  deviceId: null,
  choices: [],
})
export const of = (who: string, point: string): Source => ({ from: 'property', role: who, point })
export const formula = (text: string): Source => ({ from: 'expression', text })
export const today = (who: string, point: string): Source => ({
  from: 'aggregate',
  role: who,
  point,
  fn: 'delta',
  span: 'today',
})
export const bind = (prop: string, source: Source) => ({ prop, source })
export const writes = (who: string, point: string, over: Partial<SceneEvent> = {}): SceneEvent[] => [
  { on: 'change', do: 'set', role: who, point, ...over },
]

/** A frame in the colour of important alarms, and grey while the device is away. */
export const watched = (who: string): Pick<SceneNode, 'effects'> => ({
  effects: [
    { effect: 'colour', source: { from: 'alarm', role: who }, when: 'gte', value: 3, colour: '#fa541c' },
    { effect: 'grey', source: { from: 'online', role: who }, when: 'false' },
  ],
})

/** Puts elements on a page one after the other. */
export class Draft {
  readonly nodes: SceneNode[] = []

  constructor(readonly say: Say) {}

  add(kind: string, x: number, y: number, w: number, h: number, over: Partial<SceneNode> = {}): this {
    this.nodes.push(newNode(`e${this.nodes.length + 1}`, kind, { x, y, w, h, ...over }))
    return this
  }

  /** The line at the top. @param who the role whose alarms it shows @param choose a visitor can choose its device */
  head(title: string, who: string, choose = false): this {
    this.add('header', 0, 0, WIDTH, 76, { props: { label: title } })
    if (choose) this.add('device-switch', 1150, 16, 300, 44, { props: { role: who, label: this.say('device') } })
    return this.add('state', 1490, 20, 130, 36, {
      name: this.say('online'),
      props: { onText: this.say('online'), offText: this.say('offline'), onColour: '#00a870' },
      bind: [bind('value', { from: 'online', role: who })],
    })
      .add('alarm-sign', 1650, 20, 36, 36, {
        name: this.say('alarms'),
        bind: [bind('value', { from: 'alarm', role: who })],
      })
      .add('clock', 1752, 18, 150, 40, { props: { format: 'time', size: 30 } })
  }

  panel(x: number, y: number, w: number, h: number, label: string): this {
    return this.add('panel', x, y, w, h, { props: { label, size: 20 } })
  }

  text(x: number, y: number, w: number, value: string, size = 18, over: Partial<SceneNode['props']> = {}): this {
    return this.add('text', x, y, w, Math.round(size * 1.6), {
      props: { value, size, ...(over as SceneNode['props']) },
    })
  }

  /** A large number with its name above it. */
  big(x: number, y: number, label: string, unit: string, source: Source, digits = 1): this {
    return this.add('number', x, y, 220, 84, {
      name: label,
      props: { label, unit, digits, size: 38 },
      bind: [bind('value', source)],
    })
  }

  /** A number in one line with its name. */
  line(
    x: number,
    y: number,
    w: number,
    label: string,
    unit: string,
    source: Source,
    digits = 1,
    form: 'inline' | 'spread' = 'inline',
  ): this {
    return this.add('number', x, y, w, 32, {
      name: label,
      props: { label, unit, digits, size: 20, form },
      bind: [bind('value', source)],
    })
  }

  /** A number at the right of its name, above a bar that shows what is normal. */
  measured(
    x: number,
    y: number,
    w: number,
    label: string,
    unit: string,
    source: Source,
    { min, max, low, high }: Band,
    digits = 1,
  ): this {
    const limits = { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) }
    return this.add('number', x, y, w, 44, {
      name: label,
      props: { label, unit, digits, size: 34, form: 'spread', ...limits },
      bind: [bind('value', source)],
    }).add('bar', x, y + 42, w, 36, { name: label, props: { min, max, ...limits }, bind: [bind('value', source)] })
  }

  /** A figure on a card of its own, with a bar. */
  card(
    x: number,
    y: number,
    w: number,
    h: number,
    label: string,
    unit: string,
    source: Source,
    { min, max, low, high }: Band,
    digits = 1,
  ): this {
    const limits = { ...(low === undefined ? {} : { low }), ...(high === undefined ? {} : { high }) }
    return this.add('stat', x, y, w, h, {
      name: label,
      props: { label, unit, digits, fill: '#eceef2', ...limits },
      bind: [bind('value', source)],
    }).add('bar', x + 16, y + h - 42, w - 32, 34, {
      name: label,
      props: { min, max, ...limits },
      bind: [bind('value', source)],
    })
  }

  chart(x: number, y: number, w: number, h: number, label: string, unit: string, source: Source, over = {}): this {
    return this.add('chart', x, y, w, h, { props: { label, unit, hours: 6, ...over }, bind: [bind('value', source)] })
  }

  alarms(x: number, y: number, w: number, h: number): this {
    return this.add('alarms', x, y, w, h, { props: { label: this.say('alarms'), rows: Math.floor((h - 60) / 64) } })
  }

  /** A name, and a switch that writes. */
  toggle(x: number, y: number, w: number, label: string, who: string, point: string): this {
    return this.text(x, y, w - 90, label).add('switch', x + w - 76, y - 4, 76, 40, {
      name: label,
      bind: [bind('value', of(who, point))],
      events: writes(who, point),
    })
  }

  /** A name, and a slider that writes. */
  slide(
    x: number,
    y: number,
    w: number,
    label: string,
    who: string,
    point: string,
    [min, max, step]: readonly [number, number, number],
    unit: string,
  ): this {
    return this.text(x, y, 130, label).add('slider', x + 130, y - 6, w - 130, 44, {
      name: label,
      props: { min, max, step, unit },
      bind: [bind('value', of(who, point))],
      events: writes(who, point, { min, max }),
    })
  }

  /** A name, and a row of choices that write. @param options `value=label`, one a line */
  choose(x: number, y: number, w: number, label: string, who: string, point: string, options: string): this {
    return this.text(x, y, 130, label).add('choices', x + 130, y - 6, w - 130, 44, {
      name: label,
      props: { options },
      bind: [bind('value', of(who, point))],
      events: writes(who, point),
    })
  }

  /** Words for a state in the ink of values. */
  words(x: number, y: number, w: number, text: string, size = 20): this {
    return this.add('text', x, y, w, Math.round(size * 1.6), {
      props: { size, bold: true, ink: VALUE_INK },
      bind: [bind('value', formula(text))],
    })
  }

  pipe(x: number, y: number, w: number, h: number, on: Source): this {
    return this.add('pipe-straight', x, y, w, h, { props: { thickness: 16 }, bind: [bind('on', on)] })
  }
}

/** A text as a literal of an expression. */
export const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`
