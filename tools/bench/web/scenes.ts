/** A cloud page as the API takes it. */
export interface BenchScene {
  v: 1
  kind: 'canvas'
  width: number
  height: number
  fit: 'whole'
  roles: { key: string; name: string; productId: string; deviceId: string; choices: string[] }[]
  nodes: object[]
}

export interface PageDevice {
  id: string
  productId: string
}

const WIDTH = 1_920
const HEIGHT = 1_080
/** Elements of an alive page in turn. */
const ALIVE = [
  { kind: 'number', props: { digits: 1 } },
  { kind: 'gauge', props: { min: 0, max: 100 } },
  { kind: 'tank-upright', props: { min: 0, max: 100 } },
  { kind: 'bar-upright', props: { min: 0, max: 100 } },
  { kind: 'text', props: {} },
]
/** What of them follows a value; the last where an element has one more than others. */
const FOLLOWS = ['value', 'low', 'high', 'label']
/** Elements of a drawing that is being made. */
const DRAWN = ['pump-centrifugal', 'valve-ball', 'tank-upright', 'number', 'text', 'gauge', 'rect', 'motor']

/** A page of so many elements in rows that follow so many values: those of every device in turn. */
export function aliveScene(nodes: number, points: number, devices: readonly PageDevice[], properties: string[]) {
  const columns = Math.ceil(Math.sqrt((nodes * WIDTH) / HEIGHT))
  const rows = Math.ceil(nodes / columns)
  const [w, h] = [Math.floor(WIDTH / columns), Math.floor(HEIGHT / rows)]
  let point = 0
  return scene(
    devices,
    Array.from({ length: nodes }, (_, i) => {
      const { kind, props } = ALIVE[i % ALIVE.length]!
      const wanted = Math.floor(((i + 1) * points) / nodes) - Math.floor((i * points) / nodes)
      return {
        id: `n${i}`,
        kind,
        x: (i % columns) * w,
        y: Math.floor(i / columns) * h,
        w: w - 8,
        h: h - 8,
        props,
        bind: FOLLOWS.slice(0, wanted).map(prop => {
          const at = point++
          const [device, property] = [Math.floor(at / properties.length) % devices.length, at % properties.length]
          return { prop, source: { from: 'property', role: `d${device}`, point: properties[property] } }
        }),
      }
    }),
  )
}

/** A drawing of so many symbols, 50 in a row, 38 px apart. */
export function drawnScene(nodes: number) {
  return scene(
    [],
    Array.from({ length: nodes }, (_, i) => ({
      id: `n${i}`,
      kind: DRAWN[i % DRAWN.length],
      x: (i % 50) * 38,
      y: Math.floor(i / 50) * 26,
      w: 30,
      h: 20,
    })),
  )
}

function scene(devices: readonly PageDevice[], nodes: object[]): BenchScene {
  return {
    v: 1,
    kind: 'canvas',
    width: WIDTH,
    height: HEIGHT,
    fit: 'whole',
    roles: devices.map(({ id, productId }, i) => ({
      key: `d${i}`,
      name: `Device ${i}`,
      productId,
      deviceId: id,
      choices: [],
    })),
    nodes,
  }
}
